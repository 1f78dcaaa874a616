import type { JobId } from "../contract/job.js";

/** Names a job across accounts: a service may number the jobs of each account apart. */
export type JobKey = `${number}:${string}`;

/** The account that everybody shares. */
export const SHARED_ACCOUNT = 0;

export function jobKeyOf(accountId: number | undefined, id: JobId): JobKey {
  return `${accountId ?? SHARED_ACCOUNT}:${id}`;
}
