import { isConstraint } from "../../../database/errors.js";
import { Ages } from "../../../platform/ages.js";
import { Poller, type PollResult, type PollRow } from "../../../platform/poller.js";
import type { RateLimit } from "../../../platform/rate-limit.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { UpstreamReference } from "../adapter.js";
import { askTask, type TaskAnswer } from "./ask-task.js";
import type { Attempt } from "./attempt.js";
import type { LateCollector } from "./late-collector.js";
import type { LookUps } from "./look-ups.js";
import { failed, outcomeOf, timedOut } from "./outcomes.js";
import type { OutputCollector } from "./output-collector.js";
import { plausibleCost } from "./plausible-cost.js";
import { accountReason } from "./probe.js";
import { readKeptAnswer } from "./recover-answers.js";
import type { Run, Runs } from "./run.js";
import { cleanDetail, idsOf, type ServiceContext } from "./service-context.js";
import type { TaskDeadlines } from "./task-deadlines.js";
import { LONG_WAIT_MS } from "./throttle.js";

export interface TaskPollerOptions extends ServiceContext {
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
