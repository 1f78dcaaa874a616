import type { Migration } from "../migrate.js";

export const jobReferences: Migration = {
  name: "job-references",
  sql: `
    ALTER TABLE job ADD COLUMN reference_count INTEGER NOT NULL DEFAULT 0 CHECK (reference_count >= 0);
    -- Only jobs that are still to be made are asked for it.
    UPDATE job SET reference_count = (json_extract(request, '$.start_frame_url') IS NOT NULL)
      + (json_extract(request, '$.end_frame_url') IS NOT NULL)
      + coalesce(json_array_length(request, '$.reference_urls'), 0)
    WHERE status IN ('queued', 'generating');
    CREATE INDEX job_queued_ready ON job (account_id, id) WHERE status = 'queued' AND reference_count = 0;
    CREATE INDEX job_queued_unfetched ON job (account_id, id) WHERE status = 'queued' AND reference_count > 0;
  `,
};
