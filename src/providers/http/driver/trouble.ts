import { backOffMs } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";
import type { SubmitJudgement } from "./judge-submit.js";

const NOT_SENT_BACK_OFF = { firstMs: SECOND_MS, maxMs: 30 * SECOND_MS };

/** Why an attempt is not sent yet. Times are monotonic. */
export interface Trouble {
  since: number;
  notSent: number;
  pauses: number;
  notBefore: number;
  detail: string;
}

export function troubleAfter(
  before: Trouble | undefined,
  { kind }: Pick<SubmitJudgement, "kind">,
  detail: string,
  now: number,
): Trouble {
  const since = before?.since ?? now;
  const notSent = (before?.notSent ?? 0) + (kind === "not_sent" ? 1 : 0);
  const waitMs = kind === "not_sent" ? backOffMs(notSent, NOT_SENT_BACK_OFF) : 0;
  const pauses = (before?.pauses ?? 0) + (kind === "paused" ? 1 : 0);
  return { since, notSent, pauses, notBefore: now + waitMs, detail };
}
