import { isTaking } from "../catalogue/choose-provider.js";
import { filledOperation, type Operation } from "../catalogue/operation.js";
import { isConstraint, isDiskFault } from "../database/database.js";
import { failed, madeNothing, type UpstreamTask } from "../jobs/provider.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { ageMs, sleep } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { integer } from "../platform/integer.js";
import type { RateLimit } from "../platform/rate-limit.js";
import { backOffMs } from "../platform/retry.js";
import { Slots } from "../platform/slots.js";
import { SECOND_MS } from "../platform/units.js";
import { GenerationError, SENTENCES } from "../workers/generation-error.js";
import type { UpstreamCall, UpstreamReference } from "./adapter.js";
import type { Attempt, AttemptHistory } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import {
  declined,
  judgeAnswer,
  judgeFailure,
  notStored,
  outcomeOf,
  plausibleCost,
  postponed,
  refusedByContent,
  type SubmitJudgement,
  type Unmade,
  warningsOf,
} from "./outcomes.js";
import type { OutputCollector } from "./output-collector.js";
import { RefusedPictureError } from "./publish.js";
import { deadlineMs, idsOf, type Run, type Service } from "./service.js";
import { LONG_WAIT_MS, THROTTLE_MS } from "./service-state.js";
import type { TaskPoller } from "./task-poller.js";

/** Time within which a service that cannot be reached is known as such. */
const CONFIRMED_WITHIN_MS = 5 * SECOND_MS;
/** Limits the sends of a job: once more, after a look-up has proved that nothing was made. */
const SENT_MAX = 2;

/** Reason of jobs that a restore ends: they are refunded, and never sent again. */
export const RESTORED = "restored from a backup: it may have been sent since";

const NOT_SENT_BACK_OFF = { firstMs: SECOND_MS, maxMs: 30 * SECOND_MS };

/** Why an attempt is not sent yet. Times are monotonic. */
interface Trouble {
  since: number;
  notSent: number;
  pauses: number;
  notBefore: number;
  detail: string;
}

function troubleAfter(
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

/** Judgements that show that the service looked at the task. */
const TAKEN: ReadonlySet<SubmitJudgement["kind"]> = new Set(["accepted", "ready", "refused", "declined"]);
/** Limits the tries to reach the service before another provider is asked. */
const NOT_SENT_MAX = 3;
/** Limits the pauses after which a task is declined that costs more than what is left, while others go on. */
const PAUSES_MAX = 2;
/** Limits the jobs whose trouble is remembered until they are run again. */
const TROUBLES_MAX = 10_000;
/** Time from a doubtful POST to the first look-up. */
const LOOK_UP_AFTER_MS = 2 * SECOND_MS;

/** Plans attempts, and sends them: each one POST, committed before and recorded after. */
export class Submitter {
  readonly #posts: Slots;
  readonly #troubles = new BoundedMap<number, Trouble>(TROUBLES_MAX);

  constructor(
    private readonly service: Service,
    private readonly callbacks: ServiceCallbacks,
    private readonly poller: TaskPoller,
    private readonly collector: OutputCollector,
    private readonly limit: RateLimit,
  ) {
    this.#posts = new Slots(service.clock, { size: Number.POSITIVE_INFINITY });
  }

  /** Awaits the POSTs that are in flight or being recorded, for at most `withinMs`. */
  idle(withinMs: number): Promise<void> {
    return this.#posts.idle(withinMs);
  }

  /** Returns the attempt to go on with, or how the job ends without one. */
  async attemptOf(
    task: UpstreamTask,
    { latest, isSent, sentCount, nextNo: no }: AttemptHistory,
    signal: AbortSignal,
  ): Promise<Attempt | Unmade> {
    const { adapter, store, clock, host, options } = this.service;
    const { jobId } = task;
    if (latest && isSent) return outcomeOf(latest) ?? latest;
    if (!host.mayBeSent(jobId)) {
      // A planned attempt may have been sent since the backup.
      const dueAt = adapter.lookUp ? clock.now() : undefined;
      if (latest?.state === "planned") await store.setAmbiguous(latest.attempt_id, RESTORED, dueAt);
      return madeNothing(RESTORED);
    }
    if (sentCount >= SENT_MAX) return declined("surely not accepted, twice");
    signal.throwIfAborted();
    const operation = await this.#operationOf(task, signal, sentCount > 0);
    const planned = latest?.state === "planned" ? latest : undefined;
    if ("kind" in operation) {
      if (planned) await store.cancel(planned.attempt_id, ["planned"], operation.error);
      return operation;
    }
    signal.throwIfAborted();
    if (planned) return store.plan({ ...planned, operation });
    const planned_at = clock.now();
    const deadline_at = integer(planned_at + deadlineMs(operation.poll));
    return store.plan({ uuid: options.ids.request(), job_id: jobId, no, operation, planned_at, deadline_at });
  }

  /** Maps the operation. Nothing is made until it is submitted: another provider may take the job. */
  async #operationOf(
    task: UpstreamTask,
    signal: AbortSignal,
    isRepeat: boolean,
  ): Promise<Operation | Unmade> {
    const { adapter, state, clock, options } = this.service;
    const { references: paths, operation: sold } = task;
    if (!sold)
      return failed(
        "unavailable",
        SENTENCES.unavailable,
        "what was sold cannot be read, or is no longer made",
      );
    try {
      const links = paths.length === 0 ? [] : await options.references.publish(paths, signal);
      const operation = filledOperation(sold, links);
      return (isRepeat && adapter.remake?.(operation)) || operation;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof GenerationError) return failed("reference", error.message, error);
      if (error instanceof RefusedPictureError) return refusedByContent(error.message);
      const detail = `references not given to the service: ${reasonOf(error)}`;
      if (await state.isReached()) return declined(detail);
      // One connection that fails proves little: the service is asked again meanwhile.
      if (isTaking(state.current)) await sleep(clock, CONFIRMED_WITHIN_MS, signal, state.changed);
      signal.throwIfAborted();
      return isTaking(state.current) ? declined(detail) : postponed(detail);
    }
  }

  async submit(run: Run): Promise<void> {
    try {
      await this.#submit(run);
    } catch (error) {
      if (isConstraint(error)) await this.#setRefused(run, error);
      else if (isDiskFault(error)) run.end(notStored(error));
      else run.fail(error);
    }
  }

  /** Ends an attempt whose answer the database refuses: a repeat would be refused as well. Never rejects. */
  async #setRefused(run: Run, error: unknown): Promise<void> {
    const { store, logger } = this.service;
    const detail = `not written: ${reasonOf(error)}`;
    logger.error(
      { ...idsOf(run.attempt), err: error },
      "the database refuses an attempt, left to the operator",
    );
    try {
      await this.#end(run, "ambiguous", () => store.setAmbiguous(run.attempt.attempt_id, detail, undefined));
    } catch (cause) {
      run.fail(cause);
    }
    run.end(madeNothing(detail));
  }

  async #submit(first: Run): Promise<void> {
    const { adapter, store, state, clock, runs } = this.service;
    let run = first;
    const { uuid, operation } = run.attempt;
    const callback = this.callbacks.issue();
    const call = adapter.submit(operation, { id: uuid, ...(callback && { callbackUrl: callback.url }) });
    const { jobId } = first.task;
    let trouble = this.#troubles.get(jobId);
    this.#troubles.delete(jobId);
    while (await this.#mayStart(run, trouble)) {
      const slot = this.#posts.take();
      try {
        const attempt = await store.send(run.attempt, clock.now(), callback?.token);
        if (!attempt) throw new Error("the attempt is no longer planned");
        run.attempt = attempt;
        this.service.noteSent(run);
        const judgement = await this.#post(attempt, call, run);
        run = runs.get(attempt.attempt_id) ?? run;
        run.attempt = attempt;
        this.#notePace(judgement);
        const detail = await this.#record(run, judgement);
        if (detail === undefined) return;
        trouble = troubleAfter(trouble, judgement, detail, clock.monotonic());
        if (judgement.kind === "paused" && trouble.pauses <= PAUSES_MAX)
          state.pause(judgement.reason, detail);
      } finally {
        slot.release();
      }
    }
  }

  /** Waits for the limits. Returns false when the run has ended or is interrupted. */
  async #mayStart(run: Run, trouble: Trouble | undefined): Promise<boolean> {
    const { store, state, clock, closing, host } = this.service;
    const overdueAt = (trouble?.since ?? clock.monotonic()) + deadlineMs(run.attempt.operation.poll);
    for (;;) {
      if (run.signal.aborted || closing.aborted) return false;
      const detail = trouble?.detail ?? "the service is busy";
      if ((trouble?.pauses ?? 0) > PAUSES_MAX) return this.#giveUp(run, detail);
      const now = clock.monotonic();
      const isTroubled = (trouble?.notSent ?? 0) >= NOT_SENT_MAX;
      if (now >= overdueAt || (isTroubled && host.mayHandOver(run.task.jobId)))
        return this.#giveUp(run, detail);
      if (!isTaking(state.current)) {
        // The job waits elsewhere, without a slot; a row that was written stays planned.
        if (trouble) this.#troubles.set(run.task.jobId, trouble);
        run.end(postponed(state.current.kind));
        return false;
      }
      const startAt = Math.max(trouble?.notBefore ?? now, this.limit.nextStartAt);
      if (startAt <= now) {
        state.noteTry();
        this.limit.started(now);
        return true;
      }
      if (run.attempt.attempt_id === 0) {
        const kept = await store.keep(run.attempt);
        if (!kept) throw new Error("the job has another attempt");
        run.attempt = kept;
        continue;
      }
      await sleep(clock, Math.min(startAt, overdueAt) - now, run.signal, closing, state.changed);
    }
  }

  async #giveUp(run: Run, detail: string): Promise<false> {
    const { store, logger } = this.service;
    const clean = this.service.cleanDetail(detail);
    await this.service.persist(run.attempt, () => store.cancel(run.attempt.attempt_id, ["planned"], clean));
    logger.warn({ ...idsOf(run.attempt), detail: clean }, "attempt given up before it was sent");
    run.end(declined(clean));
    return false;
  }

  async #post(attempt: Attempt, call: UpstreamCall, run: Run): Promise<SubmitJudgement> {
    const { adapter, calls, clock, stats, failPoint } = this.service;
    const startedAt = clock.monotonic();
    // A synchronous service makes it while its answer is awaited.
    if (adapter.submitTimeoutMs !== undefined) this.service.runs.get(attempt.attempt_id)?.onQueue(undefined);
    failPoint("upstream:before-post");
    const judgement = await calls
      .submit(call, () => this.service.takeRoom(run))
      .then(
        (answer) => this.#judge(attempt, answer),
        (error: unknown) => judgeFailure(error),
      );
    failPoint("upstream:after-post");
    stats.noteSubmit(judgement.kind, clock.monotonic() - startedAt);
    return judgement;
  }

  #notePace(judgement: SubmitJudgement): void {
    const { state, clock } = this.service;
    if (judgement.kind === "throttled") {
      const { retryAfterMs: waitMs = THROTTLE_MS } = judgement;
      state.turnedAway("submit", waitMs);
      // A longer one is a state of the service, which an operator may end.
      if (waitMs <= LONG_WAIT_MS) this.limit.hold(clock.monotonic() + waitMs);
    } else if (TAKEN.has(judgement.kind)) state.taken("submit");
  }

  /** Judges the answer. One that holds the files is on the disk before the row says so. */
  async #judge(attempt: Attempt, answer: HttpAnswer): Promise<SubmitJudgement> {
    const { adapter, clock, logger, options } = this.service;
    const judgement = judgeAnswer(adapter, answer, attempt.operation, clock.now());
    if (judgement.kind === "suspected") {
      const { detail, refusal } = judgement;
      const reason = await this.service.state.accountReason(judgement.reason);
      return reason ? { kind: "paused", reason, detail } : { kind: "refused", refusal, detail };
    }
    if (judgement.kind === "ready") {
      await options.answers.save(attempt.uuid, answer).catch((error: unknown) => {
        logger.error({ ...idsOf(attempt), err: error }, "answer not kept: a crash now would lose its files");
      });
    }
    return judgement;
  }

  /** Returns undefined when the POST decided the attempt; else why it may be sent again. */
  async #record(run: Run, judgement: SubmitJudgement): Promise<string | undefined> {
    const { store, state, logger, clock } = this.service;
    const { attempt } = run;
    if (judgement.kind === "accepted") {
      const accepted = await recordAcceptance(this.service, attempt, judgement.reference);
      if (accepted.state === "ambiguous") {
        await this.#end(run, "ambiguous", async () => accepted);
        return undefined;
      }
      const now = clock.now();
      const latency = ageMs(attempt.submitted_at ?? now, now);
      logger.info(
        { ...idsOf(attempt), reference: judgement.reference, latency_ms: latency },
        "attempt accepted",
      );
      const warnings = warningsOf(accepted);
      if (warnings !== undefined)
        logger.warn({ ...idsOf(attempt), warnings }, "the service accepted it with a warning");
      run.attempt = accepted;
      this.poller.follow(run);
      return undefined;
    }
    if (judgement.kind === "ready") {
      const cost = plausibleCost(this.service, attempt, judgement.cost) ?? attempt.operation.cost;
      const ready = await this.service.persist(attempt, () => store.ready(attempt.attempt_id, cost));
      logger.info({ ...idsOf(attempt), cost }, "attempt ready");
      run.attempt = ready ?? attempt;
      this.collector.collect(run, judgement.document);
      return undefined;
    }
    const detail = this.service.cleanDetail(judgement.detail);
    if (judgement.kind === "ambiguous") return this.#recordDoubt(run, detail);
    if (judgement.kind === "refused") {
      await this.#end(run, "refused", () => store.refuse(attempt.attempt_id, judgement.refusal, detail));
      return undefined;
    }
    if (judgement.kind === "paused" && judgement.reason === "locked") {
      // It may be what locked the account: it is not sent again, here or elsewhere.
      state.pause(judgement.reason, detail);
      await this.#end(run, "refused", () => store.refuse(attempt.attempt_id, "request", detail));
      return undefined;
    }
    const planned = await this.service.persist(attempt, () => store.unsend(attempt.attempt_id, detail));
    run.attempt = planned ?? attempt;
    if (judgement.kind === "declined") {
      await this.#giveUp(run, detail);
      return undefined;
    }
    const event = { ...idsOf(attempt), outcome: judgement.kind, detail };
    logger.warn(event, "attempt not taken by the service, planned again");
    return detail;
  }

  async #recordDoubt(run: Run, detail: string): Promise<undefined> {
    const { adapter, store, clock, logger } = this.service;
    const { attempt } = run;
    if (!adapter.lookUp) {
      await this.#end(run, "ambiguous", () => store.setAmbiguous(attempt.attempt_id, detail, undefined));
      return;
    }
    logger.warn({ ...idsOf(attempt), detail }, "outcome of a submit is unknown, looking it up");
    const dueAt = integer(clock.now() + LOOK_UP_AFTER_MS);
    await this.service.persist(attempt, () => store.doubt(attempt.attempt_id, detail, dueAt));
    this.service.wake();
  }

  async #end(run: Run, end: "refused" | "ambiguous", write: () => Promise<Attempt | undefined>) {
    const { logger } = this.service;
    const ended = (await this.service.persist(run.attempt, write)) ?? run.attempt;
    const event = { ...idsOf(ended), refusal: ended.refusal ?? undefined, detail: ended.detail ?? undefined };
    if (end === "refused") logger.warn(event, "attempt refused");
    else
      logger.error(
        { ...event, doubt: "unknown" },
        "attempt ambiguous: it may have been paid for, and is never sent again",
      );
    run.attempt = ended;
    const outcome = outcomeOf(ended);
    if (outcome) run.end(outcome);
  }
}

/**
 * Writes the reference, or keeps it in the spool for as long as the database does not take it.
 * @returns an ambiguous attempt where another one has the task
 * @throws where the database refuses the row for good
 */
async function recordAcceptance(
  service: Service,
  attempt: Attempt,
  reference: UpstreamReference,
): Promise<Attempt> {
  const { logger, clock, closing, failPoint, options } = service;
  const { spool } = options;
  const spooled = { uuid: attempt.uuid, reference, accepted_at: clock.now() };
  if (closing.aborted) {
    spool.saveOrLog(spooled, logger);
    throw new Error("accepted after the end of the service");
  }
  spool.hold(spooled);
  const accept = () => service.accept(attempt, spooled);
  try {
    const accepted = await accept().catch(async (error: unknown) => {
      if (isConstraint(error)) throw error;
      spool.saveOrLog(spooled, logger);
      failPoint("upstream:spooled");
      const written = await service.persist(attempt, accept);
      spool.remove(attempt.uuid, logger);
      return written;
    });
    return accepted ?? attempt;
  } finally {
    spool.release(attempt.uuid);
  }
}
