import type { Migration } from "../migrate.js";

export const uploadFailures: Migration = {
  name: "upload-failures",
  sql: `ALTER TABLE delivery ADD COLUMN upload_failures TEXT NOT NULL DEFAULT '[]';`,
};
