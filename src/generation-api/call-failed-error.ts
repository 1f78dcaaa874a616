import { Unavailable } from "../contract/errors.js";

export interface CallFacts {
  status?: number;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Thrown when there is no answer, or one that violates the contract. Nothing was accepted. */
export class CallFailedError extends Unavailable {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor({ status, retryAfterMs, cause }: CallFacts) {
    super("unreachable", { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  get isTemporary(): boolean {
    const { status } = this;
    return status === undefined || status < 300 || status === 408 || status === 429 || status >= 500;
  }
}
