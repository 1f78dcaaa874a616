import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Clock } from "../../platform/clock.js";
import { callerOf } from "./authentication.js";
import { sendError } from "./errors.js";

const WINDOW_MS = 60_000;
/** Past windows are thrown away when more keys than this are remembered. */
const KEYS_MAX = 10_000;

interface Window {
  startedAt: number;
  requests: number;
}

/** Counts the requests of each key in windows of a minute that begin with its first request. */
export class RateLimit {
  readonly #windows = new Map<number, Window>();
  readonly #perMinute: number;
  readonly #clock: Clock;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Counts one request. 0 lets it pass; anything else is how long the key has to wait, in seconds. */
  take(keyId: number): number {
    const now = this.#clock.now();
    const window = this.#windows.get(keyId);
    if (!window || isOver(window, now)) {
      if (this.#windows.size >= KEYS_MAX) this.#forgetPast(now);
      this.#windows.set(keyId, { startedAt: now, requests: 1 });
      return 0;
    }
    window.requests += 1;
    if (window.requests <= this.#perMinute) return 0;
    return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - now) / 1000));
  }

  #forgetPast(now: number): void {
    for (const [keyId, window] of this.#windows) if (isOver(window, now)) this.#windows.delete(keyId);
  }
}

/** A clock that was set back must not lock a key out. */
function isOver({ startedAt }: Window, now: number): boolean {
  return now - startedAt >= WINDOW_MS || now < startedAt;
}

/** A hook behind the authentication that refuses a key its next request for a while. */
export function rateLimiter(limit: RateLimit) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const waitSec = limit.take(callerOf(request).keyId);
    if (waitSec === 0) done();
    else sendError(reply.header("retry-after", waitSec), "rate_limited");
  };
}
