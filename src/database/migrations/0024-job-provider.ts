import type { Migration } from "../migrate.js";

export const jobProvider: Migration = {
  name: "job-provider",
  sql: `
    ALTER TABLE job ADD COLUMN provider TEXT NOT NULL DEFAULT 'local';
    ALTER TABLE job ADD COLUMN tracks INTEGER NOT NULL DEFAULT 1 CHECK (tracks > 0);
    -- Only jobs that are still to be made are asked for it. Suno's models make two tracks.
    UPDATE job SET tracks = 2 WHERE status IN ('queued', 'generating') AND model_key GLOB 'music:suno-*';
    CREATE INDEX job_queued_provider ON job (provider, account_id, id) WHERE status = 'queued';
  `,
};
