import type { Migration } from "../migrate.js";

export const draftTypes: Migration = {
  name: "draft-types",
  sql: `
    ALTER TABLE draft ADD COLUMN type TEXT NOT NULL DEFAULT 'image' CHECK (type IN ('image', 'video', 'music'));
    ALTER TABLE draft ADD COLUMN taken_message_id INTEGER;
  `,
};
