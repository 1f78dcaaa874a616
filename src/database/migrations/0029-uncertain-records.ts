import type { Migration } from "../migrate.js";

/** `number` is the id that admins type. `person_news`: what the person has not been told yet. */
export const uncertainRecords: Migration = {
  name: "uncertain-records",
  sql: `
    CREATE TABLE uncertain_record (
      number INTEGER PRIMARY KEY,
      order_id TEXT NOT NULL UNIQUE REFERENCES "order" (id),
      created_at INTEGER NOT NULL,
      balance_before_kopecks INTEGER,
      balance_after_kopecks INTEGER,
      person_news TEXT CHECK (person_news IN ('uncertain', 'charged', 'not_charged')),
      told_admin_ids TEXT NOT NULL
    ) STRICT;
    CREATE INDEX uncertain_record_news ON uncertain_record (order_id) WHERE person_news IS NOT NULL;
    INSERT INTO uncertain_record (order_id, created_at, told_admin_ids)
      SELECT id, created_at, '[]' FROM "order" WHERE state = 'uncertain' ORDER BY created_at;
    CREATE TABLE order_job (
      job_id TEXT NOT NULL,
      order_id TEXT NOT NULL REFERENCES "order" (id),
      PRIMARY KEY (job_id, order_id)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO order_job
      SELECT CAST(job.value AS TEXT), "order".id FROM "order", json_each("order".job_ids) AS job;
  `,
};
