import type { AttemptState } from "../jobs/order-reader.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { integer } from "../platform/integer.js";
import { SECOND_MS } from "../platform/units.js";
import type { PollOutcome } from "./adapter.js";
import type { Attempt } from "./attempt-store.js";
import { type CallbackOutcome, callbackPauseMs, type Service } from "./service.js";

/** Takes what services call when a task has ended: hints to ask them now, of which nothing is believed. */
export interface Callbacks {
  /** Takes a call with the token of its address. Returns at once and never throws, whoever has called. */
  take(service: string, token: string): void;
  /** Counts a call that the rate limit does not let pass. */
  drop(service: string): void;
}

interface Hint {
  count: number;
  /** True while the service was not asked since the latest call. */
  isWaiting: boolean;
  /** Time on the monotonic clock at which the service is asked because of a call. */
  askAt: number;
}

const REMEMBERED = 10_000;
/** Limits hints: some services call more than once for a task, such as for each stage of a song. */
const HINTS_MAX = 3;
/** Spaces the questions about one task that callbacks cause. */
const HINT_PAUSE_MS = 5 * SECOND_MS;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const OPEN: ReadonlySet<AttemptState> = new Set(["sending", "accepted"]);
const ENDS: ReadonlySet<PollOutcome["kind"]> = new Set(["ready", "refused", "failed"]);
/** Limits tasks in a row that ended without a call: after them none is waited for. */
const MISSES_MAX = 3;

/** Takes what one service calls about its tasks: each call is a hint to ask now, and nothing in it is believed. */
export class ServiceCallbacks {
  /** Attempts that were called about. In memory: what a crash loses is only a hint. */
  readonly #hints = new BoundedMap<number, Hint>(REMEMBERED);
  /** Counts tasks that polls have seen ended, since the latest call. */
  #misses = 0;

  constructor(private readonly service: Service) {}

  /** Issues an address for one attempt, where the service calls and can reach us. The token is stored, as a hash, before it is sent. */
  issue(): { token: string; url: string } | undefined {
    const { adapter, options } = this.service;
    if (!adapter.callsBack || options.callbackUrl === undefined) return undefined;
    const token = options.ids.secret();
    return { token, url: `${options.callbackUrl}/${token}` };
  }

  /** Takes a call. Never throws: whoever calls learns nothing. */
  take(token: string): void {
    const { stats, logger } = this.service;
    try {
      stats.noteCallback(this.#apply(token));
    } catch (error) {
      logger.warn({ err: error }, "callback not looked up");
    }
  }

  #apply(token: string): CallbackOutcome {
    const attempt = TOKEN.test(token) ? this.service.store.findByCallback(token) : undefined;
    if (!attempt) return "unknown";
    const waitMs = this.#addHint(attempt.attempt_id);
    if (!OPEN.has(attempt.state)) return "over";
    if (waitMs === undefined) return "repeated";
    if (attempt.due_at !== null) this.#hurry(attempt, waitMs);
    return "asked";
  }

  /** Returns in how many ms the service is to be asked; undefined for a call that changes nothing. */
  #addHint(attemptId: number): number | undefined {
    const now = this.service.clock.monotonic();
    const known = this.#hints.get(attemptId);
    if (!known && this.#misses >= MISSES_MAX) this.service.logger.info("the service calls back again");
    if (!known) this.#misses = 0;
    if (known?.isWaiting || (known?.count ?? 0) >= HINTS_MAX) return undefined;
    const askAt = known ? Math.max(now, known.askAt + HINT_PAUSE_MS) : now;
    this.#hints.set(attemptId, { count: (known?.count ?? 0) + 1, isWaiting: true, askAt });
    return askAt - now;
  }

  /** Returns in how many ms the service is to be asked; undefined where no call came since it was. */
  #hintedMs(attemptId: number): number | undefined {
    const hint = this.#hints.get(attemptId);
    return hint?.isWaiting ? Math.max(0, hint.askAt - this.service.clock.monotonic()) : undefined;
  }

  /** Call when an attempt was accepted: its service may have called before. */
  heedEarlyCall(attempt: Attempt): void {
    const waitMs = this.#hintedMs(attempt.attempt_id);
    if (waitMs !== undefined) this.#hurry(attempt, waitMs);
  }

  /** Awaits what the service answers about a task. What it calls meanwhile is new. */
  async during<A extends { kind: PollOutcome["kind"] }>(attempt: Attempt, asked: Promise<A>): Promise<A> {
    const hint = this.#hints.get(attempt.attempt_id);
    if (hint) hint.isWaiting = false;
    const answer = await asked;
    if (!ENDS.has(answer.kind) || !this.#isUncalled(attempt)) return answer;
    this.#misses += 1;
    if (this.#misses === MISSES_MAX)
      this.service.logger.warn(
        { tasks: MISSES_MAX },
        "the service does not call back: polled as usual, see PUBLIC_URL",
      );
    return answer;
  }

  /** Computes the pause before the next poll, in ms: 0 after a call, longer than `usualMs` where one is expected. */
  pauseMs(attempt: Attempt, usualMs: number): number {
    const hintedMs = this.#hintedMs(attempt.attempt_id);
    if (hintedMs !== undefined) return hintedMs;
    // Where the service lags behind its calls, or does not call, it is polled as usual.
    if (!this.#isUncalled(attempt) || this.#misses >= MISSES_MAX) return usualMs;
    return Math.max(usualMs, callbackPauseMs(this.service.ageMs(attempt)));
  }

  #hurry(attempt: Attempt, waitMs: number): void {
    const { store, clock, logger, wake } = this.service;
    store.hurry(attempt.attempt_id, integer(clock.now() + waitMs)).then(wake, (error: unknown) => {
      logger.warn(
        { attempt_id: attempt.attempt_id, job_id: attempt.job_id, err: error },
        "callback not heeded: polled as usual",
      );
    });
  }

  /** Tells whether the service has a reason to call, and has not. */
  #isUncalled({ attempt_id: id, callback_hash, state, late }: Attempt): boolean {
    const isCallable = callback_hash !== null && state === "accepted" && late === 0;
    return isCallable && this.#hints.get(id) === undefined;
  }
}
