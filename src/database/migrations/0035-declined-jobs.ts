import type { Migration } from "../migrate.js";

/** Providers that surely made nothing of a job and gave it back, as a JSON list of names. */
export const declinedJobs: Migration = {
  name: "declined-jobs",
  sql: `ALTER TABLE job ADD COLUMN declined_by TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(declined_by));`,
};
