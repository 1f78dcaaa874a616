import { IDEMPOTENCY_RETENTION_SEC } from "../../jobs/idempotent-submissions.js";

/** The header of every API response: `Idempotency-Key` is honoured, for this many seconds. */
export const RETENTION_HEADER = { "idempotency-key-retention": `${IDEMPOTENCY_RETENTION_SEC}` } as const;

export function isApiUrl(url: string): boolean {
  return /^\/v1(?:[/?]|$)/.test(url);
}
