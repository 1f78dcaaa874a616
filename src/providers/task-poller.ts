import { isConstraint } from "../database/database.js";
import { retryAfterMs } from "../generation-api/answers.js";
import { Ages } from "../platform/ages.js";
import { type CancelTimer, leftMs, sleep } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { integer } from "../platform/integer.js";
import { Poller, type PollResult, type PollRow } from "../platform/poller.js";
import type { RateLimit } from "../platform/rate-limit.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { PollOutcome, UpstreamReference } from "./adapter.js";
import type { Attempt } from "./attempt-store.js";
import { unlessFlagged } from "./flags.js";
import type { LookUps } from "./look-ups.js";
import { failed, outcomeOf, plausibleCost, timedOut } from "./outcomes.js";
import type { LateCollector, OutputCollector } from "./output-collector.js";
import { deadlineMs, latePauseMs, latePollsMs } from "./poll-schedule.js";
import { readKeptAnswer } from "./recover-answers.js";
import { accountReason, type Run, type Runs } from "./run.js";
import { ForeignAddressError } from "./service-calls.js";
import { cleanDetail, idsOf, persist, type ServiceContext } from "./service-context.js";
import { LONG_WAIT_MS } from "./service-state.js";
import { causeOf } from "./submitter.js";

type AskOnce = (run: Run, signal: AbortSignal) => Promise<void>;

/** Limits the last question before a refund. */
const LAST_POLL_MS = 3 * SECOND_MS;
/** Time after a restart within which a task is polled before its deadline counts. */
const POLL_FIRST_MS = 20 * SECOND_MS;
/** Time after a start within which a job may come for its task. */
const UNATTENDED_MAX_MS = 10 * MINUTE_MS;
/** Time after the deadline, or the last one of a late task, for which files are fetched. */
const FETCHABLE_FOR_MS = 30 * MINUTE_MS;

/** Ends jobs whose tasks are past their deadline: what still comes is kept and not delivered. */
export class TaskDeadlines {
  readonly #context: ServiceContext;
  readonly #askOnce: AskOnce;
  readonly #startedAt: number;
  readonly #timers = new Map<Run, CancelTimer>();

  constructor(context: ServiceContext, askOnce: AskOnce) {
    this.#context = context;
    this.#askOnce = askOnce;
    this.#startedAt = context.clock.monotonic();
  }

  watch(run: Run): void {
    const { clock, polls } = this.#context;
    const { deadlineAt, operation } = run.attempt;
    polls.ageMs(run.attempt);
    const untilMs = Math.max(leftMs(deadlineAt, clock.now(), deadlineMs(operation.poll)), POLL_FIRST_MS);
    this.unwatch(run);
    this.#timers.set(
      run,
      clock.after(untilMs, () => void this.#expire(run).catch((error: unknown) => run.fail(error))),
    );
  }

  unwatch(run: Run): void {
    this.#timers.get(run)?.();
    this.#timers.delete(run);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /** Makes a task late that no job waits for. Returns false while one may still come. */
  async takeUnattended(attempt: Attempt): Promise<boolean> {
    const { clock, polls, store } = this.#context;
    if (polls.ageMs(attempt) < deadlineMs(attempt.operation.poll) || this.#isNewlyStarted()) return false;
    return (await store.abandon(attempt.id, clock.now())) !== undefined;
  }

  /** Returns false when the files of a finished task that is not late were asked for long enough. */
  isFetchable(attempt: Attempt): boolean {
    const untilMs = deadlineMs(attempt.operation.poll) + FETCHABLE_FOR_MS;
    return this.#context.polls.ageMs(attempt) < untilMs || this.#isNewlyStarted();
  }

  pauseMs({ operation }: Attempt): number {
    return latePauseMs(operation.poll);
  }

  /** Returns true when the task was polled for long enough: it stays with the operator. */
  async isOver(attempt: Attempt): Promise<boolean> {
    const { store, polls, logger, stats } = this.#context;
    const isReady = attempt.state !== "accepted";
    const pollsMs = latePollsMs(attempt.operation.poll) + (isReady ? FETCHABLE_FOR_MS : 0);
    // After a long stop a single answer that says nothing is not enough.
    if (polls.ageMs(attempt) < pollsMs || this.#isNewlyStarted()) return false;
    if (isReady) await store.fail(attempt.id, "late: the service does not give the result again");
    else await store.setAmbiguous(attempt.id, "late: no result within three deadlines", undefined);
    stats.noteEnd(isReady ? "failed" : "ambiguous");
    logger.error(
      { ...idsOf(attempt), reference: attempt.reference },
      "late task has no result: left to the operator",
    );
    return true;
  }

  #isNewlyStarted(): boolean {
    return this.#context.clock.monotonic() < this.#startedAt + UNATTENDED_MAX_MS;
  }

  async #expire(run: Run): Promise<void> {
    const { store, clock, logger, stats } = this.#context;
    await this.#pollLast(run);
    if (run.hasEnded) return;
    const { attempt } = run;
    const dueAt = integer(clock.now() + latePauseMs(attempt.operation.poll));
    const late = await persist(this.#context, attempt, () => store.markLate(attempt.id, dueAt));
    if (!late) return;
    stats.noteEnd("timeout");
    logger.warn(idsOf(attempt), "attempt past its deadline");
    void this.#cancel(late);
    run.attempt = late;
    run.end(timedOut());
  }

  /** Polls once more: it may be done since, such as while the service wanted to be left alone. */
  async #pollLast(run: Run): Promise<void> {
    const { clock, logger, closing } = this.#context;
    const isOver = new AbortController();
    const asked = this.#askOnce(run, AbortSignal.any([isOver.signal, closing])).catch((error: unknown) => {
      logger.warn({ ...idsOf(run.attempt), err: error }, "late task not asked about");
    });
    await Promise.race([asked, sleep(clock, LAST_POLL_MS, isOver.signal)]);
    isOver.abort();
  }

  /** Cancels the task. The answer decides nothing: the task is polled further. */
  async #cancel(attempt: Attempt): Promise<void> {
    const { adapter, calls, logger, closing } = this.#context;
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
}

export type TaskAnswer =
  | Exclude<PollOutcome, { kind: "next" } | { kind: "glitch" }>
  /** A glitch that is not of this task alone has `isOfHost`. */
  | { kind: "glitch"; detail: string; isOfHost: boolean; retryAfterMs?: number | undefined };

/** Limits the calls in one turn: a status, a result, and what a service adds to them. */
const CALLS_MAX = 4;

/** Asks about a task, with the calls that the service names in the same turn. Never rejects. */
export async function askTask(
  context: Pick<ServiceContext, "adapter" | "calls" | "clock">,
  limit: RateLimit,
  reference: UpstreamReference,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const { adapter, calls, clock } = context;
  try {
    let next = { call: adapter.poll(reference), reference };
    for (let count = 1; count <= CALLS_MAX; count += 1) {
      const answer = await calls.ask(next.call, signal);
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

interface TaskPollerOptions extends ServiceContext {
  runs: Runs;
  lookUps: LookUps;
  collector: OutputCollector;
  deadlines: TaskDeadlines;
  lateCollector: LateCollector;
  /** Limits calls about tasks. */
  limit: RateLimit;
}

const IN_FLIGHT_MAX = 64;
const FIRST_PAUSE_MS = 2 * SECOND_MS;
/** Pause for a task without a waiting job, which comes soon after a start. */
const UNATTENDED_PAUSE_MS = 5 * SECOND_MS;
const PAUSED_PAUSE_MS = 30 * SECOND_MS;
/** Answers that a known task does not exist, over this time, after which it is given up. */
const UNKNOWN_MAX = 3;
const UNKNOWN_FOR_MS = 10 * MINUTE_MS;

export class TaskPoller {
  readonly #options: TaskPollerOptions;
  readonly #poller: Poller<PollRow>;
  readonly #unknownAges: Ages;
  readonly #asked = new Map<number, Promise<PollResult>>();

  constructor(options: TaskPollerOptions) {
    const { store, clock, logger, stats, limit } = options;
    this.#options = options;
    this.#unknownAges = new Ages(clock);
    this.#poller = new Poller<PollRow>({
      store,
      clock,
      logger,
      inFlightMax: IN_FLIGHT_MAX,
      firstPauseMs: FIRST_PAUSE_MS,
      rateLimit: limit,
      poll: (row, signal) => this.#poll(row, signal),
      onPoll: (facts) => stats.notePoll(facts),
    });
  }

  wake(): void {
    this.#poller.wake();
  }

  close(deadlineMs: number): Promise<void> {
    return this.#poller.close(deadlineMs);
  }

  async #poll(row: PollRow, signal: AbortSignal): Promise<PollResult> {
    try {
      return await this.#pollRow(row, signal);
    } catch (error) {
      if (!isConstraint(error)) throw error;
      return this.#setRefused(Number(row.id), error);
    }
  }

  /** Ends a task whose answer the database refuses: a repeat would be refused as well. */
  async #setRefused(id: number, error: unknown): Promise<PollResult> {
    const { store, runs, stats, logger } = this.#options;
    const detail = `not written: ${reasonOf(error)}`;
    logger.error({ attempt_id: id, err: error }, "the database refuses an attempt, left to the operator");
    const left = (await store.setAmbiguous(id, detail, undefined)) ?? (await store.fail(id, detail));
    if (left?.state === "ambiguous") stats.noteEnd("ambiguous");
    runs.of(id)?.end(failed(detail));
    return { kind: "ended" };
  }

  async #pollRow(row: PollRow, signal: AbortSignal): Promise<PollResult> {
    const { store, runs, state, lookUps, deadlines, lateCollector } = this.#options;
    const attempt = store.find(Number(row.id));
    if (attempt?.dueAt === undefined) return { kind: "ended" };
    const isDoubtful = attempt.state === "sending" || attempt.state === "ambiguous";
    if (!isDoubtful && !attempt.reference) return this.#pollKept(attempt);
    if (state.pauseReason === "key_refused") return this.#waitForKey(attempt);
    if (isDoubtful || !attempt.reference) return lookUps.lookUp(attempt, signal);
    if (lateCollector.isFetching(attempt)) return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    const isAwaited = runs.of(attempt.id) !== undefined || attempt.isLate;
    if (!isAwaited && !(await deadlines.takeUnattended(attempt)))
      return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    return this.#ask(attempt, attempt.reference, signal);
  }

  /** Asks about a task whatever the pace, before its job is refunded for lateness. Applies what it hears. */
  async askOnce({ attempt: { id } }: Run, signal: AbortSignal): Promise<void> {
    const attempt = this.#options.store.find(id);
    if (attempt?.state === "accepted" && attempt.reference)
      await this.#ask(attempt, attempt.reference, signal);
  }

  /** Shares one answer between two callers: it is applied once. */
  #ask(attempt: Attempt, reference: UpstreamReference, signal: AbortSignal): Promise<PollResult> {
    const asked =
      this.#asked.get(attempt.id) ??
      this.#askNow(attempt, reference, signal).finally(() => this.#asked.delete(attempt.id));
    this.#asked.set(attempt.id, asked);
    return asked;
  }

  async #askNow(attempt: Attempt, reference: UpstreamReference, signal: AbortSignal): Promise<PollResult> {
    const { limit, failPoint, callbacks } = this.#options;
    const answer = await callbacks.during(attempt, askTask(this.#options, limit, reference, signal));
    failPoint("upstream:after-poll");
    if (signal.aborted) return { kind: "open" };
    this.#notePace(answer);
    return this.#apply(attempt, answer);
  }

  #notePace(answer: TaskAnswer): void {
    const { state } = this.#options;
    if (answer.kind === "throttled") state.turnedAway("poll", answer.retryAfterMs);
    else if (answer.kind !== "glitch" && answer.kind !== "paused") state.taken("poll");
    else if (answer.kind === "glitch" && (answer.retryAfterMs ?? 0) > LONG_WAIT_MS)
      state.turnedAway("poll", answer.retryAfterMs);
  }

  /** Asks nothing: the pause ends by its own probe. The job waits no longer than it would otherwise. */
  async #waitForKey(attempt: Attempt): Promise<PollResult> {
    const { runs, lookUps } = this.#options;
    if (attempt.state === "sending") return lookUps.endDoubt(attempt, "the key is refused");
    const isAwaited = !attempt.isLate && runs.of(attempt.id) !== undefined;
    if (isAwaited && (await this.#isOver(attempt))) return { kind: "ended" };
    return { kind: "open", afterMs: PAUSED_PAUSE_MS };
  }

  /** Takes what was made from the kept answer where no job waits: there is no task to ask about. */
  async #pollKept(attempt: Attempt): Promise<PollResult> {
    const { store, runs, deadlines, lateCollector, stats, logger } = this.#options;
    if (runs.of(attempt.id)) return this.#leave(attempt);
    if (!(await deadlines.takeUnattended(attempt))) return { kind: "open", afterMs: UNATTENDED_PAUSE_MS };
    const kept = await readKeptAnswer(this.#options, attempt);
    const late = kept && (await store.ready(attempt.id, undefined));
    if (kept && late) lateCollector.collect(late, kept.document);
    else if (await store.fail(attempt.id, "late: the answer is lost")) {
      stats.noteEnd("failed");
      logger.error(idsOf(attempt), "late result is lost");
    }
    return { kind: "ended" };
  }

  async #leave(attempt: Attempt): Promise<PollResult> {
    await this.#options.store.stopPolling(attempt.id);
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
    const { store, runs, logger, collector, lateCollector } = this.#options;
    const isAgain = attempt.state !== "accepted";
    const ready = await store.ready(attempt.id, plausibleCost(this.#options, attempt, cost));
    if (!ready) return { kind: "ended" };
    if (!isAgain) logger.info({ ...idsOf(attempt), cost: ready.cost, late: ready.isLate }, "attempt ready");
    const run = runs.of(attempt.id);
    if (!run || ready.isLate) {
      lateCollector.collect(ready, document);
      run?.end(timedOut());
      return { kind: "ended" };
    }
    run.attempt = ready;
    run.onQueue(undefined);
    collector.collect(run, document);
    return { kind: "ended" };
  }

  async #end(attempt: Attempt, answer: TaskAnswer & { kind: "refused" | "failed" }): Promise<PollResult> {
    const { runs, logger, stats } = this.#options;
    const detail = cleanDetail(this.#options, answer.detail);
    const ended = await this.#writeEnd(attempt, answer, detail);
    if (!ended) return { kind: "ended" };
    stats.noteEnd(ended.state);
    logger.warn(
      { ...idsOf(attempt), refusal: ended.refusal, detail, late: ended.isLate },
      `attempt ${ended.state}`,
    );
    const outcome = outcomeOf(ended);
    if (outcome) runs.of(attempt.id)?.end(outcome);
    return { kind: "ended" };
  }

  #writeEnd(attempt: Attempt, answer: TaskAnswer & { kind: "refused" | "failed" }, detail: string) {
    const { store } = this.#options;
    const { id, state } = attempt;
    // A task that was ready before may have been charged for.
    if (state !== "accepted") return store.fail(id, detail);
    const cost = plausibleCost(this.#options, attempt, answer.cost);
    return answer.kind === "refused"
      ? store.refuse(id, answer.refusal, detail, cost)
      : store.failUnpaid(id, detail, cost);
  }

  async #unknown(attempt: Attempt): Promise<PollResult> {
    const { store, clock, logger, runs, stats } = this.#options;
    const count = attempt.unknownCount + 1;
    const since = attempt.unknownSince ?? clock.now();
    const unknownMs = this.#unknownAges.of(`${attempt.id}:${since}`, since);
    if (count >= UNKNOWN_MAX && unknownMs >= UNKNOWN_FOR_MS) {
      const detail = "lost: the service no longer knows the task";
      if (await store.fail(attempt.id, detail)) stats.noteEnd("failed");
      logger.error({ ...idsOf(attempt), reference: attempt.reference }, "the service lost a task");
      runs.of(attempt.id)?.end(failed(detail));
      return { kind: "ended" };
    }
    if (await this.#isOver(attempt)) return { kind: "ended" };
    await store.setUnknown(attempt.id, count, since);
    return { kind: "open", afterMs: this.#pauseOf(attempt) };
  }

  async #open(attempt: Attempt, answer: TaskAnswer): Promise<PollResult> {
    const { adapter, calls, store, state, logger } = this.#options;
    if (answer.kind === "throttled") return { kind: "throttled", retryAfterMs: shortened(answer) };
    if (answer.kind === "paused") {
      const reason = await accountReason(adapter, calls, answer.reason);
      if (reason) state.pause(reason, cleanDetail(this.#options, answer.detail));
      return { kind: "open", afterMs: PAUSED_PAUSE_MS };
    }
    if (answer.kind === "glitch") {
      logger.debug(
        { ...idsOf(attempt), detail: cleanDetail(this.#options, answer.detail) },
        "poll says nothing",
      );
      if (answer.isOfHost) return { kind: "failed", retryAfterMs: shortened(answer) };
    } else if (answer.kind === "pending") this.#tellQueue(attempt, answer);
    if (answer.kind !== "glitch" && attempt.unknownCount > 0)
      await store.setUnknown(attempt.id, 0, undefined);
    return { kind: "open", afterMs: this.#pauseOf(attempt) };
  }

  #tellQueue({ id }: Attempt, { phase, queuePosition }: TaskAnswer & { kind: "pending" }): void {
    this.#options.runs.of(id)?.onQueue(phase === "queued" ? { position: queuePosition } : undefined);
  }

  /** Returns true when it is not polled again. */
  async #isOver(attempt: Attempt): Promise<boolean> {
    const { runs, collector, deadlines } = this.#options;
    if (attempt.isLate) return deadlines.isOver(attempt);
    if (attempt.state === "accepted" || deadlines.isFetchable(attempt)) return false;
    const run = runs.of(attempt.id);
    if (run) await collector.fail(run, "the service does not give the result again");
    else await this.#leave(attempt);
    return true;
  }

  #pauseOf(attempt: Attempt): number {
    const { polls, deadlines, callbacks } = this.#options;
    return callbacks.pauseMs(attempt, attempt.isLate ? deadlines.pauseMs(attempt) : polls.pauseMs(attempt));
  }
}

/** Shortens a wait: a task that is paid for is asked about, and shows when the wait is over. */
function shortened({ retryAfterMs: waitMs }: { retryAfterMs?: number | undefined }): number | undefined {
  return waitMs && Math.min(waitMs, LONG_WAIT_MS);
}
