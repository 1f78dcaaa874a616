import type { Migration } from "../migrate.js";

/** When a job that was done got its cost back, in ms since the epoch: its files were lost before delivery. */
export const paidBackJobs: Migration = {
  name: "paid-back-jobs",
  sql: `
    ALTER TABLE job ADD COLUMN paid_back_at INTEGER;
    -- Of several jobs, those whose files had gone by then. CROSS JOIN: the few entries come first.
    CREATE TEMP TABLE lost_job AS
      SELECT job.id, entry.created_at AS at
      FROM ledger_entry AS entry CROSS JOIN job
      WHERE entry.kind = 'refund' AND entry.reason = 'lost'
        AND job.account_id = entry.account_id AND job.order_id IS NOT NULL AND job.order_id = entry.order_id
        AND job.status = 'done' AND (entry.job_id IS NULL OR entry.job_id = job.id)
        AND NOT EXISTS (SELECT 1 FROM media_file AS file
          WHERE file.job_id = job.id
            AND (file.removed_at IS NULL OR file.removed_at > entry.created_at));
    UPDATE job SET paid_back_at = (SELECT at FROM lost_job WHERE lost_job.id = job.id)
      WHERE id IN (SELECT id FROM lost_job);
    DROP TABLE lost_job;
  `,
};
