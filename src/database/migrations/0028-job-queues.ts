import type { Migration } from "../migrate.js";

export const jobQueues: Migration = {
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
