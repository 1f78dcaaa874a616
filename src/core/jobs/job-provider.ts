import type { Migration } from "../../database/migrations.js";

export const JOB_PROVIDER_MIGRATION: Migration = {
  name: "job-provider",
  sql: `
    ALTER TABLE job ADD COLUMN provider TEXT NOT NULL DEFAULT 'local';
    ALTER TABLE job ADD COLUMN tracks INTEGER NOT NULL DEFAULT 1 CHECK (tracks > 0);
    -- Only jobs that are still to be made are asked for it. Suno's models make two tracks.
    UPDATE job SET tracks = 2 WHERE status IN ('queued', 'generating') AND model_key GLOB 'music:suno-*';
    CREATE INDEX job_queued_provider ON job (provider, account_id, id) WHERE status = 'queued';
  `,
};

export const JOB_QUEUES_MIGRATION: Migration = {
  name: "job-queues",
  sql: `
    -- The index job_queued_provider takes its place.
    DROP INDEX job_queued;
    DROP INDEX job_queued_ready;
    DROP INDEX job_queued_unfetched;
    CREATE INDEX job_queued_ready ON job (provider, account_id, id)
      WHERE status = 'queued' AND reference_count = 0;
    CREATE INDEX job_queued_unfetched ON job (provider, account_id, id)
      WHERE status = 'queued' AND reference_count > 0;
  `,
};
