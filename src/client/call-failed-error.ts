import { Unavailable } from "../contract/errors.js";

export interface CallFacts {
  /** Absent without an answer. */
  status?: number;
  /** What the service asked to wait, in ms. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** The service did not answer, or not as the contract says. Nothing was accepted. */
export class CallFailedError extends Unavailable {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor({ status, retryAfterMs, cause }: CallFacts) {
    super("unreachable", { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** True where the same call may succeed later. */
  get isTemporary(): boolean {
    const { status } = this;
    return status === undefined || status < 300 || status === 408 || status === 429 || status >= 500;
  }
}
