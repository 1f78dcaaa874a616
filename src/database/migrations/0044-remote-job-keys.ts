import type { Migration } from "../migrate.js";

/** A job of a service elsewhere is named by its account too: 0 for the one that everybody shares. */
export const remoteJobKeys: Migration = {
  name: "remote-job-keys",
  sql: `
    UPDATE remote_job SET id = coalesce(
      (SELECT account_id FROM order_job
        JOIN remote_submission ON remote_submission.order_id = order_job.order_id
        WHERE job_id = remote_job.id AND account_id IS NOT NULL LIMIT 1),
      0
    ) || ':' || id;
  `,
};
