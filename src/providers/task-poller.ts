import { isConstraint } from "../database/database.js";
import { madeNothing } from "../jobs/provider.js";
import { Ages } from "../platform/ages.js";
import { type CancelTimer, leftMs, within } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { retryAfterMs } from "../platform/http-exchange.js";
import { integer } from "../platform/integer.js";
import { Poller, type PollResult, type PollRow } from "../platform/poller.js";
import type { RateLimit } from "../platform/rate-limit.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { PollOutcome, UpstreamReference } from "./adapter.js";
import { type Attempt, costOf } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import { unlessFlagged } from "./judge-status.js";
import type { LookUps } from "./look-ups.js";
import { causeOf, outcomeOf, plausibleCost, readKeptAnswer, timedOut } from "./outcomes.js";
import type { OutputCollector } from "./output-collector.js";
import { deadlineMs, idsOf, type Run, type Service } from "./service.js";
import { ForeignAddressError } from "./service-calls.js";
import { LONG_WAIT_MS } from "./service-state.js";

/** Limits the last question before a refund. */
const LAST_POLL_MS = 3 * SECOND_MS;
/** Time after a restart within which a task is polled before its deadline counts. */
const POLL_FIRST_MS = 20 * SECOND_MS;
/** Time after a start within which a job may come for its task. */
const UNATTENDED_MAX_MS = 10 * MINUTE_MS;
/** Time after the deadline, or the last one of a late task, for which files are fetched. */
const FETCHABLE_FOR_MS = 30 * MINUTE_MS;
/** Pause between polls of a task past its deadline, as a part of the deadline. */
const LATE_PART = 0.1;
const LATE_PAUSE_MIN_MS = 60 * SECOND_MS;
/** Deadlines after which a task is not polled again. */
const LATE_DEADLINES = 3;

export type TaskAnswer =
  | Exclude<PollOutcome, { kind: "next" } | { kind: "glitch" }>
  /** A glitch that is not of this task alone has `isOfHost`. */
  | { kind: "glitch"; detail: string; isOfHost: boolean; retryAfterMs?: number | undefined };

/** Limits the calls in one turn: a status, a result, and what a service adds to them. */
const CALLS_MAX = 4;

/** Asks about a task, with the calls that the service names in the same turn. Never rejects. */
export async function askTask(
  context: Pick<Service, "adapter" | "calls" | "clock">,
  limit: RateLimit,
  reference: UpstreamReference,
  signal: AbortSignal,
  room?: () => Promise<void>,
): Promise<TaskAnswer> {
  const { adapter, calls, clock } = context;
  try {
    let next = { call: adapter.poll(reference), reference };
    for (let count = 1; count <= CALLS_MAX; count += 1) {
      const answer = await calls.ask(next.call, signal, room);
      const waitMs = retryAfterMs(answer.headers.get("retry-after"), clock.now());
      if (answer.fault)
        return { kind: "glitch", detail: reasonOf(answer.fault), isOfHost: true, retryAfterMs: waitMs };
      const outcome = unlessFlagged(adapter.readPoll(answer, next.reference));
      if (outcome.kind === "throttled") return { ...outcome, retryAfterMs: outcome.retryAfterMs ?? waitMs };
      if (outcome.kind === "glitch")
        return { ...outcome, isOfHost: answer.status >= 500, retryAfterMs: waitMs };
      if (outcome.kind !== "next") return outcome;
      next = outcome;
      await limit.take(signal);
    }
    return { kind: "glitch", detail: "too many calls for one task", isOfHost: false };
  } catch (error) {
    return { kind: "glitch", detail: causeOf(error), isOfHost: !(error instanceof ForeignAddressError) };
  }
}

const IN_FLIGHT_MAX = 64;
const FIRST_PAUSE_MS = 2 * SECOND_MS;
/** Pause for a task without a waiting job, which comes soon after a start. */
const UNATTENDED_PAUSE_MS = 5 * SECOND_MS;
const PAUSED_PAUSE_MS = 30 * SECOND_MS;
/** Answers that a known task does not exist, over this time, after which it is given up. */
const UNKNOWN_MAX = 3;
const UNKNOWN_FOR_MS = 10 * MINUTE_MS;

/** Asks about tasks that are due, and ends jobs whose tasks are past their deadline: what still comes is kept and not delivered. */
export class TaskPoller {
  readonly #poller: Poller<PollRow>;
  readonly #unknownAges: Ages;
  readonly #asked = new Map<number, Promise<PollResult>>();
  readonly #deadlines = new Map<Run, CancelTimer>();
  readonly #startedAt: number;

  constructor(
    private readonly service: Service,
    private readonly callbacks: ServiceCallbacks,
    private readonly lookUps: LookUps,
    private readonly collector: OutputCollector,
    private readonly limit: RateLimit,
  ) {
    const { store, clock, logger, stats } = service;
    this.#unknownAges = new Ages(clock);
    this.#startedAt = clock.monotonic();
    this.#poller = new Poller<PollRow>({
      store,
      clock,
      logger,
      inFlightMax: IN_FLIGHT_MAX,
      firstPauseMs: FIRST_PAUSE_MS,
      rateLimit: limit,
      poll: (row, signal) =>
        this.#poll(row, signal).catch((error: unknown) => {
          if (!isConstraint(error)) throw error;
          return this.#setRefused(Number(row.id), error);
        }),
      stats: stats.polls,
    });
  }

  wake(): void {
    this.#poller.wake();
  }

  async close(deadlineMs: number): Promise<void> {
    await this.#poller.close(deadlineMs);
    for (const cancel of this.#deadlines.values()) cancel();
    this.#deadlines.clear();
  }

  /** Polls the accepted task of a run until it ends, or its deadline does. Its service may have called already. */
  follow(run: Run): void {
    this.#watch(run);
    this.callbacks.heedEarlyCall(run.attempt);
    this.#poller.wake();
  }

  #watch(run: Run): void {
    const { clock } = this.service;
    const { deadline_at: deadlineAt, operation } = run.attempt;
    this.service.ageMs(run.attempt);
    const untilMs = Math.max(leftMs(deadlineAt, clock.now(), deadlineMs(operation.poll)), POLL_FIRST_MS);
    this.unwatch(run);
    const expire = () => void this.#expire(run).catch((error: unknown) => run.fail(error));
    this.#deadlines.set(run, clock.after(untilMs, expire));
  }

  unwatch(run: Run): void {
    this.#deadlines.get(run)?.();
    this.#deadlines.delete(run);
  }

  async #expire(run: Run): Promise<void> {
    const { store, clock, logger, stats } = this.service;
    await this.#pollLast(run);
    if (run.hasEnded) return;
    const { attempt } = run;
    const dueAt = integer(clock.now() + latePauseMs(attempt));
    const late = await this.service.persist(attempt, () => store.markLate(attempt.attempt_id, dueAt));
    if (!late) return;
    stats.noteEnd("timeout");
    logger.warn(idsOf(attempt), "attempt past its deadline");
    void this.#cancel(late);
    run.attempt = late;
    run.end(timedOut());
  }

  /** Polls once more, whatever the pace: it may be done since, such as while the service wanted to be left alone. */
  async #pollLast(run: Run): Promise<void> {
    const { store, clock, logger, closing } = this.service;
    const isOver = new AbortController();
    const attempt = store.find(run.attempt.attempt_id);
    if (attempt?.state !== "accepted" || !attempt.reference) return;
    const signal = AbortSignal.any([isOver.signal, closing]);
    const asked = this.#ask(attempt, attempt.reference, signal).catch((error: unknown) => {
      logger.warn({ ...idsOf(run.attempt), err: error }, "late task not asked about");
    });
    await within(clock, LAST_POLL_MS, asked);
    isOver.abort();
  }

  /** Cancels the task. The answer decides nothing: the task is polled further. */
  async #cancel(attempt: Attempt): Promise<void> {
    const { adapter, calls, logger, closing } = this.service;
    if (!adapter.cancel || !attempt.reference) return;
    try {
      for (const call of [adapter.cancel(attempt.reference)].flat()) {
        const { status } = await calls.ask(call, closing);
        logger.info({ ...idsOf(attempt), status }, "cancellation asked for");
      }
    } catch (error) {
      logger.warn({ ...idsOf(attempt), reason: causeOf(error) }, "cancellation not asked for");
    }
  }

  /** Ends a task whose answer the database refuses: a repeat would be refused as well. */
  async #setRefused(id: number, error: unknown): Promise<PollResult> {
    const { store, runs, logger } = this.service;
    const detail = `not written: ${reasonOf(error)}`;
    logger.error({ attempt_id: id, err: error }, "the database refuses an attempt, left to the operator");
    if (!(await store.setAmbiguous(id, detail, undefined))) await store.fail(id, detail);
    runs.get(id)?.end(madeNothing(detail));
    return { kind: "ended" };
  }

  async #poll(row: PollRow, signal: AbortSignal): Promise<PollResult> {
    const { store, runs, state } = this.service;
    const attempt = store.find(Number(row.id));
    if (!attempt || attempt.due_at === null) return { kind: "ended" };
    const isDoubtful = attempt.state === "sending" || attempt.state === "ambiguous";
    if (!isDoubtful && !attempt.reference) return this.#pollKept(attempt);
    if (state.pauseReason === "key_refused") return this.#waitForKey(attempt);
    if (isDoubtful || !attempt.reference) return this.lookUps.lookUp(attempt, signal);
    if (this.collector.isFetching(attempt)) return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    const isAwaited = runs.get(attempt.attempt_id) !== undefined || attempt.late === 1;
    if (!isAwaited && !(await this.#takeUnattended(attempt)))
      return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    return this.#ask(attempt, attempt.reference, signal);
  }

  /** Shares one answer between two callers: it is applied once. */
  #ask(attempt: Attempt, reference: UpstreamReference, signal: AbortSignal): Promise<PollResult> {
    const asked =
      this.#asked.get(attempt.attempt_id) ??
      this.#askNow(attempt, reference, signal).finally(() => this.#asked.delete(attempt.attempt_id));
    this.#asked.set(attempt.attempt_id, asked);
    return asked;
  }

  async #askNow(attempt: Attempt, reference: UpstreamReference, signal: AbortSignal): Promise<PollResult> {
    const run = this.service.runs.get(attempt.attempt_id);
    const room = run && (() => this.service.takeRoom(run));
    const asked = askTask(this.service, this.limit, reference, signal, room);
    const answer = await this.callbacks.during(attempt, asked);
    if (run && answer.kind !== "ready") this.service.leaveRoom(run);
    this.service.failPoint("upstream:after-poll");
    if (signal.aborted) return { kind: "open" };
    this.#notePace(answer);
    return this.#apply(attempt, answer);
  }

  #notePace(answer: TaskAnswer): void {
    const { state } = this.service;
    if (answer.kind === "throttled") state.turnedAway("poll", answer.retryAfterMs);
    else if (answer.kind !== "glitch" && answer.kind !== "paused") state.taken("poll");
    else if (answer.kind === "glitch" && (answer.retryAfterMs ?? 0) > LONG_WAIT_MS)
      state.turnedAway("poll", answer.retryAfterMs);
  }

  /** Asks nothing: the pause ends by its own probe. The job waits no longer than it would otherwise. */
  async #waitForKey(attempt: Attempt): Promise<PollResult> {
    const { runs } = this.service;
    if (attempt.state === "sending") return this.lookUps.endDoubt(attempt, "the key is refused");
    const isAwaited = attempt.late === 0 && runs.get(attempt.attempt_id) !== undefined;
    if (isAwaited && (await this.#isOver(attempt))) return { kind: "ended" };
    return { kind: "open", afterMs: PAUSED_PAUSE_MS };
  }

  /** Takes what was made from the kept answer where no job waits: there is no task to ask about. */
  async #pollKept(attempt: Attempt): Promise<PollResult> {
    const { store, runs, logger } = this.service;
    if (runs.get(attempt.attempt_id)) return this.#leave(attempt);
    if (!(await this.#takeUnattended(attempt))) return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    const kept = await readKeptAnswer(this.service, attempt);
    const late = kept && (await store.ready(attempt.attempt_id, undefined));
    if (kept && late) this.collector.collectLate(late, kept.document);
    else if (await store.fail(attempt.attempt_id, "late: the answer is lost"))
      logger.error(idsOf(attempt), "late result is lost");
    return { kind: "ended" };
  }

  async #leave(attempt: Attempt): Promise<PollResult> {
    await this.service.store.stopPolling(attempt.attempt_id);
    return { kind: "ended" };
  }

  async #apply(attempt: Attempt, answer: TaskAnswer): Promise<PollResult> {
    switch (answer.kind) {
      case "ready":
        return this.#ready(attempt, answer);
      case "refused":
      case "failed":
        return this.#end(attempt, answer);
      case "unknown_task":
        return this.#unknown(attempt);
      default:
        return (await this.#isOver(attempt)) ? { kind: "ended" } : this.#open(attempt, answer);
    }
  }

  async #ready(attempt: Attempt, { document, cost }: TaskAnswer & { kind: "ready" }): Promise<PollResult> {
    const { store, runs, clock, logger } = this.service;
    const isAgain = attempt.state !== "accepted";
    const ready = await store.ready(attempt.attempt_id, plausibleCost(this.service, attempt, cost));
    if (!ready) return { kind: "ended" };
    if (!isAgain)
      logger.info({ ...idsOf(attempt), cost: costOf(ready), late: ready.late === 1 }, "attempt ready");
    const run = runs.get(attempt.attempt_id);
    if (ready.late === 1) {
      this.collector.collectLate(ready, document);
      run?.end(timedOut());
    } else if (run) {
      run.attempt = ready;
      run.onQueue(undefined);
      this.collector.collect(run, document);
    } else {
      // A stop has interrupted its run: the files are for the next one.
      await store.pollAgain(ready.attempt_id, integer(clock.now() + UNATTENDED_PAUSE_MS));
    }
    return { kind: "ended" };
  }

  async #end(attempt: Attempt, answer: TaskAnswer & { kind: "refused" | "failed" }): Promise<PollResult> {
    const { store, runs, logger } = this.service;
    const detail = this.service.cleanDetail(answer.detail);
    const { attempt_id: id } = attempt;
    const write = () => {
      // A task that was ready before may have been charged for.
      if (attempt.state !== "accepted") return store.fail(id, detail);
      const cost = plausibleCost(this.service, attempt, answer.cost);
      if (answer.kind === "refused") return store.refuse(id, answer.refusal, detail, cost);
      return store.failUnpaid(id, detail, cost);
    };
    const ended = await write();
    if (!ended) return { kind: "ended" };
    logger.warn(
      { ...idsOf(attempt), refusal: ended.refusal ?? undefined, detail, late: ended.late === 1 },
      `attempt ${ended.state}`,
    );
    const outcome = outcomeOf(ended);
    if (outcome) runs.get(attempt.attempt_id)?.end(outcome);
    return { kind: "ended" };
  }

  async #unknown(attempt: Attempt): Promise<PollResult> {
    const { store, clock, logger, runs } = this.service;
    const count = attempt.poll_failures + 1;
    const since = attempt.unknown_since ?? clock.now();
    const unknownMs = this.#unknownAges.of(`${attempt.attempt_id}:${since}`, since);
    if (count >= UNKNOWN_MAX && unknownMs >= UNKNOWN_FOR_MS) {
      const detail = "lost: the service no longer knows the task";
      await store.fail(attempt.attempt_id, detail);
      logger.error({ ...idsOf(attempt), reference: attempt.reference }, "the service lost a task");
      runs.get(attempt.attempt_id)?.end(madeNothing(detail));
      return { kind: "ended" };
    }
    if (await this.#isOver(attempt)) return { kind: "ended" };
    await store.setUnknown(attempt.attempt_id, count, since);
    return { kind: "open", afterMs: this.#pauseOf(attempt) };
  }

  async #open(attempt: Attempt, answer: TaskAnswer): Promise<PollResult> {
    const { store, state, runs, logger } = this.service;
    if (answer.kind === "throttled") return { kind: "throttled", retryAfterMs: shortened(answer) };
    if (answer.kind === "paused") {
      const reason = await this.service.state.accountReason(answer.reason);
      if (reason) state.pause(reason, this.service.cleanDetail(answer.detail));
      return { kind: "open", afterMs: PAUSED_PAUSE_MS };
    }
    if (answer.kind === "glitch") {
      logger.debug(
        { ...idsOf(attempt), detail: this.service.cleanDetail(answer.detail) },
        "poll says nothing",
      );
      if (answer.isOfHost) return { kind: "failed", retryAfterMs: shortened(answer) };
    } else if (answer.kind === "pending") {
      const place = answer.phase === "queued" ? { position: answer.queuePosition } : undefined;
      runs.get(attempt.attempt_id)?.onQueue(place);
    }
    if (answer.kind !== "glitch" && attempt.poll_failures > 0)
      await store.setUnknown(attempt.attempt_id, 0, undefined);
    return { kind: "open", afterMs: this.#pauseOf(attempt) };
  }

  /** Makes a task late that no job waits for. Returns false while one may still come. */
  async #takeUnattended(attempt: Attempt): Promise<boolean> {
    const { clock, store } = this.service;
    if (!this.#isOlder(attempt, deadlineMs(attempt.operation.poll))) return false;
    return (await store.abandon(attempt.attempt_id, clock.now())) !== undefined;
  }

  /** Returns true when it is not polled again. */
  async #isOver(attempt: Attempt): Promise<boolean> {
    if (attempt.late === 1) return this.#isLateOver(attempt);
    const untilMs = deadlineMs(attempt.operation.poll) + FETCHABLE_FOR_MS;
    if (attempt.state === "accepted" || !this.#isOlder(attempt, untilMs)) return false;
    const run = this.service.runs.get(attempt.attempt_id);
    if (run) await this.collector.fail(run, "the service does not give the result again");
    else await this.#leave(attempt);
    return true;
  }

  /** Returns true when a late task was polled for long enough: it stays with the operator. */
  async #isLateOver(attempt: Attempt): Promise<boolean> {
    const { store, logger } = this.service;
    const isReady = attempt.state !== "accepted";
    const pollsMs = LATE_DEADLINES * deadlineMs(attempt.operation.poll) + (isReady ? FETCHABLE_FOR_MS : 0);
    if (!this.#isOlder(attempt, pollsMs)) return false;
    if (isReady) await store.fail(attempt.attempt_id, "late: the service does not give the result again");
    else await store.setAmbiguous(attempt.attempt_id, "late: no result within three deadlines", undefined);
    logger.error(
      { ...idsOf(attempt), reference: attempt.reference },
      "late task has no result: left to the operator",
    );
    return true;
  }

  /** Tells whether a task is so old, and may be judged by that: after a long stop a single answer is not enough. */
  #isOlder(attempt: Attempt, ms: number): boolean {
    const { clock } = this.service;
    const isNewlyStarted = clock.monotonic() < this.#startedAt + UNATTENDED_MAX_MS;
    return this.service.ageMs(attempt) >= ms && !isNewlyStarted;
  }

  #pauseOf(attempt: Attempt): number {
    const usualMs = attempt.late === 1 ? latePauseMs(attempt) : this.service.pauseMs(attempt);
    return this.callbacks.pauseMs(attempt, usualMs);
  }
}

/** Shortens a wait: a task that is paid for is asked about, and shows when the wait is over. */
function shortened({ retryAfterMs: waitMs }: { retryAfterMs?: number | undefined }): number | undefined {
  return waitMs && Math.min(waitMs, LONG_WAIT_MS);
}

function latePauseMs({ operation }: Attempt): number {
  return Math.max(LATE_PAUSE_MIN_MS, deadlineMs(operation.poll) * LATE_PART);
}
