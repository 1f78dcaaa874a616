import type { Migration } from "../migrate.js";

/** What was sold is stored with the job, and no two attempts have one task of a service. */
export const jobOperations: Migration = {
  name: "job-operations",
  sql: `
    -- Until the job has ended. As JSON: the mapped request, with marks for addresses that come later.
    CREATE TABLE job_operation (
      job_id INTEGER PRIMARY KEY REFERENCES job (id),
      operation TEXT NOT NULL
    ) STRICT;

    -- The id of the task at its service, as text. The first attempt that was told it has it.
    ALTER TABLE attempt ADD COLUMN task_id TEXT;
    UPDATE attempt SET task_id = first.task_id
    FROM (
      SELECT min(attempt_id) AS attempt_id, provider,
        CAST(coalesce(ref ->> '$.request_id', ref ->> '$.task_id', ref ->> '$.prompt_id', ref ->> '$.job_id',
          ref ->> '$.id', ref) AS TEXT) AS task_id
      FROM attempt WHERE ref IS NOT NULL
      GROUP BY 2, 3
    ) AS first
    WHERE attempt.attempt_id = first.attempt_id;
    CREATE UNIQUE INDEX attempt_task ON attempt (provider, task_id) WHERE task_id IS NOT NULL;
  `,
};
