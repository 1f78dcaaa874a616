import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Clock } from "../../platform/clock.js";
import { callerOf } from "./authentication.js";
import { sendError } from "./errors.js";

const WINDOW_MS = 60_000;
/** The number of accounts above which expired windows are dropped. */
const ACCOUNTS_MAX = 10_000;

interface Window {
  startedAt: number;
  requests: number;
}

/** Counts requests per account, in windows of a minute that begin with the first request. */
export class RequestRateLimit {
  readonly #windows = new Map<number, Window>();
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts one request. Returns 0 if it may pass, otherwise the wait in seconds. */
  take(accountId: number): number {
    const now = this.#clock.monotonic();
    const window = this.#windows.get(accountId);
    if (!window || isOver(window, now)) {
      if (this.#windows.size >= ACCOUNTS_MAX) this.#forgetPast(now);
      this.#windows.set(accountId, { startedAt: now, requests: 1 });
      return 0;
    }
    window.requests += 1;
    if (window.requests <= this.#perMinute) return 0;
    return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - now) / 1000));
  }

  #forgetPast(now: number): void {
    for (const [accountId, window] of this.#windows) if (isOver(window, now)) this.#windows.delete(accountId);
  }
}

function isOver({ startedAt }: Window, now: number): boolean {
  return now - startedAt >= WINDOW_MS;
}

export function rateLimiter(limit: RequestRateLimit) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const waitSec = limit.take(callerOf(request).accountId);
    if (waitSec === 0) done();
    else sendError(reply.header("retry-after", waitSec), "rate_limited");
  };
}
