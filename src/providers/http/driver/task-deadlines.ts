import { type CancelTimer, leftMs, sleep } from "../../../platform/clock.js";
import { integer } from "../../../platform/integer.js";
import { MINUTE_MS, SECOND_MS } from "../../../platform/units.js";
import type { Attempt } from "./attempt.js";
import { causeOf } from "./judge-submit.js";
import { timedOut } from "./outcomes.js";
import { deadlineMs, latePauseMs, latePollsMs } from "./poll-schedule.js";
import type { Run } from "./run.js";
import { idsOf, persist, type ServiceContext } from "./service-context.js";

export type AskOnce = (run: Run, signal: AbortSignal) => Promise<void>;

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
