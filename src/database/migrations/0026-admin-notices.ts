import type { Migration } from "../migrate.js";

/** Notices to admins are rows until an admin has them. They take the place of marks of what was told; prices, whose notice may be lost, are told again. */
export const adminNotices: Migration = {
  name: "admin-notices",
  sql: `
    CREATE TABLE admin_notice (
      id INTEGER PRIMARY KEY,
      topic TEXT UNIQUE,
      content TEXT,
      notice TEXT,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX admin_notice_waiting ON admin_notice (id) WHERE notice IS NOT NULL;

    DROP TABLE offers_told;
    INSERT INTO admin_notice (topic, content, at) SELECT 'credit:' || provider, 'low', told_at FROM told_credit;
    DROP TABLE told_credit;
    INSERT INTO admin_notice (topic, content, at)
      SELECT 'restored', id, told_at FROM restored_backup WHERE told_at IS NOT NULL ORDER BY id DESC LIMIT 1;
    ALTER TABLE restored_backup DROP COLUMN told_at;
  `,
};
