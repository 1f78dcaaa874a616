import { isTaking } from "../catalogue/choose-provider.js";
import type { Json } from "../catalogue/json.js";
import {
  type Cost,
  filledOperation,
  type Operation,
  readStoredForm,
  type SoldOperation,
} from "../catalogue/operation.js";
import { isConstraint, isDiskFault } from "../database/database.js";
import { retryAfterMs } from "../generation-api/answers.js";
import type { ProviderHost, UpstreamTask } from "../jobs/provider.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { ageMs, type Clock, sleep } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { ExchangeError, type HttpAnswer } from "../platform/http-exchange.js";
import type { Ids } from "../platform/ids.js";
import { integer } from "../platform/integer.js";
import type { RateLimit } from "../platform/rate-limit.js";
import { backOffMs } from "../platform/retry.js";
import { Slots } from "../platform/slots.js";
import { HOUR_MS, SECOND_MS } from "../platform/units.js";
import { GenerationError } from "../workers/generation-error.js";
import type { SubmitOutcome, UpstreamAdapter, UpstreamCall, UpstreamReference } from "./adapter.js";
import { type Acceptance, type Attempt, type AttemptStore, wasSent } from "./attempt-store.js";
import { unlessFlagged } from "./flags.js";
import {
  declined,
  failed,
  notStored,
  outcomeOf,
  plausibleCost,
  postponed,
  refusedByContent,
  type Unmade,
  unavailable,
  warningsOf,
} from "./outcomes.js";
import { deadlineMs } from "./poll-schedule.js";
import { RefusedPictureError } from "./publish.js";
import type { SpooledReference } from "./reference-spool.js";
import { accountReason, type Run, type Runs } from "./run.js";
import { cleanDetail, idsOf, persist, type ServiceContext } from "./service-context.js";
import { LONG_WAIT_MS, type ServiceState, THROTTLE_MS } from "./service-state.js";

/** Tells what a POST's end means. `not_sent`: no byte of it left. */
export type SubmitJudgement = SubmitOutcome | { kind: "not_sent"; detail: string };

/** Statuses of a server between, or of none: they say nothing of the task, whatever their body is. */
const DOUBTFUL_STATUSES = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524]);

/** Limits references: an id, and a few addresses. */
const REFERENCE_LENGTH_MAX = 16_384;

export function judgeAnswer(
  adapter: Pick<UpstreamAdapter, "readSubmit">,
  answer: HttpAnswer,
  operation: Operation,
  now: number,
): SubmitOutcome {
  const { status } = answer;
  if (status < 200 || (status >= 300 && status < 400) || DOUBTFUL_STATUSES.has(status))
    return { kind: "ambiguous", detail: `HTTP ${status}` };
  const outcome = read(adapter, answer, operation);
  if (outcome.kind === "throttled") {
    const waitMs = outcome.retryAfterMs ?? retryAfterMs(answer.headers.get("retry-after"), now);
    return { ...outcome, retryAfterMs: waitMs };
  }
  if (outcome.kind === "ambiguous" && answer.fault)
    return { kind: "ambiguous", detail: `${outcome.detail}; ${answer.fault.message}` };
  return outcome;
}

/** Judges the error of a POST that got no status line. */
export function judgeFailure(error: unknown): SubmitJudgement {
  const detail = causeOf(error);
  return error instanceof ExchangeError && !error.isSent
    ? { kind: "not_sent", detail }
    : { kind: "ambiguous", detail };
}

export function causeOf(error: unknown): string {
  return reasonOf(error instanceof ExchangeError ? error.cause : error);
}

function read(
  adapter: Pick<UpstreamAdapter, "readSubmit">,
  answer: HttpAnswer,
  operation: Operation,
): SubmitOutcome {
  try {
    return withinBounds(unlessFlagged(adapter.readSubmit(answer, operation)));
  } catch (error) {
    return { kind: "ambiguous", detail: `unreadable answer: ${reasonOf(error)}` };
  }
}

/** Refuses references that are too long for the row and the log. */
function withinBounds(outcome: SubmitOutcome): SubmitOutcome {
  if (outcome.kind !== "accepted" || isBounded(outcome.reference)) return outcome;
  return { kind: "ambiguous", detail: "accepted, with a reference that is too long to be one" };
}

export function isBounded(reference: UpstreamReference): boolean {
  return JSON.stringify(reference).length <= REFERENCE_LENGTH_MAX;
}

export interface TaskReferences {
  publish(paths: readonly string[], lifeMs: number, signal: AbortSignal): Promise<readonly string[]>;
}

interface AttemptPlannerOptions {
  adapter: UpstreamAdapter;
  store: AttemptStore;
  state: ServiceState;
  callbackUrl: string;
  references: TaskReferences;
  mayBeSent: ProviderHost["mayBeSent"];
  clock: Clock;
  ids: Pick<Ids, "request">;
}

/** Time within which a service that cannot be reached is known as such. */
const CONFIRMED_WITHIN_MS = 5 * SECOND_MS;
/** Limits the sends of a job: once more, after a look-up has proved that nothing was made. */
const SENT_MAX = 2;

/** Reason of jobs that a restore ends: they are refunded, and never sent again. */
export const RESTORED = "restored from a backup: it may have been sent since";

export class AttemptPlanner {
  readonly #options: AttemptPlannerOptions;

  constructor(options: AttemptPlannerOptions) {
    this.#options = options;
  }

  /** Returns the attempt to go on with, or how the job ends without one. */
  async attemptOf(task: UpstreamTask, signal: AbortSignal): Promise<Attempt | Unmade> {
    const { store, clock, ids } = this.#options;
    const latest = store.latestOf(task.jobId);
    if (latest && wasSent(latest.state)) return outcomeOf(latest) ?? latest;
    if (!this.#options.mayBeSent(task.jobId)) return this.#leaveUnsent(latest);
    if (store.sentCount(task.jobId) >= SENT_MAX) return declined("surely not accepted, twice");
    signal.throwIfAborted();
    const operation = await this.#operationOf(task, signal);
    if ("reason" in operation) {
      if (latest?.state === "planned") await store.giveUp(latest.id, operation.reason);
      return operation;
    }
    signal.throwIfAborted();
    if (latest?.state === "planned")
      return (await store.replan(latest.id, operation)) ?? this.attemptOf(task, signal);
    const plannedAt = clock.now();
    const deadlineAt = integer(plannedAt + deadlineMs(operation.poll));
    return store.plan({ uuid: ids.request(), jobId: task.jobId, operation, plannedAt, deadlineAt });
  }

  /** Ends a job of before a restore. Its planned attempt may have been sent since the backup: it is looked up. */
  async #leaveUnsent(latest: Attempt | undefined): Promise<Unmade> {
    const { adapter, store, clock } = this.#options;
    const dueAt = adapter.lookUp ? clock.now() : undefined;
    if (latest?.state === "planned") await store.setAmbiguous(latest.id, RESTORED, dueAt);
    return failed(RESTORED);
  }

  /** Maps the operation. Nothing is made until it is submitted: another provider may take the job. */
  async #operationOf(task: UpstreamTask, signal: AbortSignal): Promise<Operation | Unmade> {
    const { adapter, store, state, clock } = this.#options;
    const sold = task.operation === undefined ? undefined : readStoredForm(task.operation);
    if (!sold) return unavailable("what was sold cannot be read, or is no longer made");
    try {
      const operation = await this.#filled(sold, task.references, signal);
      const isRepeat = store.sentCount(task.jobId) > 0;
      return (isRepeat && adapter.remake?.(operation)) || operation;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof GenerationError)
        return { failed: "reference", reason: error.message, cause: error };
      if (error instanceof RefusedPictureError) return refusedByContent(error.message);
      const detail = `references not given to the service: ${reasonOf(error)}`;
      if (await state.isReached()) return declined(detail);
      // One connection that fails proves little: the service is asked again meanwhile.
      if (isTaking(state.current)) await sleep(clock, CONFIRMED_WITHIN_MS, signal, state.changed);
      signal.throwIfAborted();
      return isTaking(state.current) ? declined(detail) : postponed(detail);
    }
  }

  /** Fills what was sold with links to its references that the service can read. */
  async #filled(sold: SoldOperation, paths: readonly string[], signal: AbortSignal): Promise<Operation> {
    const { callbackUrl, references } = this.#options;
    const lifeMs = 2 * deadlineMs(sold.operation.poll) + HOUR_MS;
    const links = paths.length === 0 ? [] : await references.publish(paths, lifeMs, signal);
    return filledOperation(sold, { links, callbackUrl });
  }
}

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

interface SubmitterOptions extends ServiceContext {
  runs: Runs;
  limit: RateLimit;
  host: Pick<ProviderHost, "mayHandOver">;
  onAccepted: (run: Run) => void;
  onReady: (run: Run, document: Json) => void;
  onDoubt: () => void;
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

/** Sends planned attempts: each one POST, committed before and recorded after. */
export class Submitter {
  readonly #options: SubmitterOptions;
  readonly #posts: Slots;
  /** Troubles of postponed jobs. */
  readonly #troubles = new BoundedMap<number, Trouble>(TROUBLES_MAX);

  constructor(options: SubmitterOptions) {
    this.#options = options;
    this.#posts = new Slots(options.clock, { size: Number.POSITIVE_INFINITY });
  }

  get inFlight(): number {
    return this.#posts.held;
  }

  /** Resolves when no POST is in flight or being recorded, or after `withinMs`. */
  idle(withinMs: number): Promise<void> {
    return this.#posts.idle(withinMs);
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
    const { store, logger } = this.#options;
    const detail = `not written: ${reasonOf(error)}`;
    logger.error(
      { ...idsOf(run.attempt), err: error },
      "the database refuses an attempt, left to the operator",
    );
    try {
      await this.#end(run, "ambiguous", () => store.setAmbiguous(run.attempt.id, detail, undefined));
    } catch (cause) {
      run.fail(cause);
    }
    run.end(failed(detail));
  }

  async #submit(first: Run): Promise<void> {
    const { adapter, callbacks, store, clock, runs } = this.#options;
    let run = first;
    const { id, uuid, operation } = run.attempt;
    const callback = callbacks.issue();
    const call = adapter.submit(operation, { id: uuid, ...(callback && { callbackUrl: callback.url }) });
    const { jobId } = first.task;
    let trouble = this.#troubles.get(jobId);
    this.#troubles.delete(jobId);
    while (await this.#mayStart(run, trouble)) {
      const slot = this.#posts.take();
      try {
        const attempt = await store.send(id, clock.now(), callback?.token);
        if (!attempt) throw new Error("the attempt is no longer planned");
        run.noteSent();
        const judgement = await this.#post(attempt, call);
        run = runs.of(id) ?? run;
        run.attempt = attempt;
        this.#notePace(judgement);
        const detail = await this.#record(run, judgement);
        if (detail === undefined) return;
        trouble = troubleAfter(trouble, judgement, detail, clock.monotonic());
        if (judgement.kind === "paused" && trouble.pauses <= PAUSES_MAX)
          this.#options.state.pause(judgement.reason, detail);
      } finally {
        slot.release();
      }
    }
  }

  /** Waits for the limits. Returns false when the run has ended or is interrupted. */
  async #mayStart(run: Run, trouble: Trouble | undefined): Promise<boolean> {
    const { state, clock, limit, closing, host } = this.#options;
    const overdueAt = (trouble?.since ?? clock.monotonic()) + deadlineMs(run.attempt.operation.poll);
    for (;;) {
      if (run.signal.aborted || closing.aborted) return false;
      const detail = trouble?.detail ?? "the service is busy";
      if ((trouble?.pauses ?? 0) > PAUSES_MAX) return this.#giveUp(run, detail);
      const now = clock.monotonic();
      const isTroubled = (trouble?.notSent ?? 0) >= NOT_SENT_MAX;
      if (now >= overdueAt || (isTroubled && host.mayHandOver(run.task.jobId)))
        return this.#giveUp(run, detail);
      if (!isTaking(state.current)) return this.#postpone(run, trouble);
      const startAt = Math.max(trouble?.notBefore ?? now, limit.nextStartAt);
      if (startAt <= now) {
        state.noteTry();
        limit.started(now);
        return true;
      }
      await sleep(clock, Math.min(startAt, overdueAt) - now, run.signal, closing, state.changed);
    }
  }

  /** Leaves the attempt planned. The job waits elsewhere, without a slot. */
  #postpone(run: Run, trouble: Trouble | undefined): false {
    if (trouble) this.#troubles.set(run.task.jobId, trouble);
    run.end(postponed(this.#options.state.current.kind));
    return false;
  }

  async #giveUp(run: Run, detail: string): Promise<false> {
    const { store, logger, stats } = this.#options;
    const clean = cleanDetail(this.#options, detail);
    await persist(this.#options, run.attempt, () => store.giveUp(run.attempt.id, clean));
    stats.noteEnd("cancelled");
    logger.warn({ ...idsOf(run.attempt), detail: clean }, "attempt given up before it was sent");
    run.end(declined(clean));
    return false;
  }

  async #post(attempt: Attempt, call: UpstreamCall): Promise<SubmitJudgement> {
    const { adapter, calls, clock, stats, failPoint } = this.#options;
    const startedAt = clock.monotonic();
    // A synchronous service makes it while its answer is awaited.
    if (adapter.submitTimeoutMs !== undefined) this.#options.runs.of(attempt.id)?.onQueue(undefined);
    failPoint("upstream:before-post");
    const judgement = await calls.submit(call).then(
      (answer) => this.#judge(attempt, answer),
      (error: unknown) => judgeFailure(error),
    );
    failPoint("upstream:after-post");
    stats.noteSubmit(judgement.kind, clock.monotonic() - startedAt);
    return judgement;
  }

  #notePace(judgement: SubmitJudgement): void {
    const { state, limit, clock } = this.#options;
    if (judgement.kind === "throttled") {
      const { retryAfterMs: waitMs = THROTTLE_MS } = judgement;
      state.turnedAway("submit", waitMs);
      // A longer one is a state of the service, which an operator may end.
      if (waitMs <= LONG_WAIT_MS) limit.hold(clock.monotonic() + waitMs);
    } else if (TAKEN.has(judgement.kind)) state.taken("submit");
  }

  /** Judges the answer. One that holds the files is on the disk before the row says so. */
  async #judge(attempt: Attempt, answer: HttpAnswer): Promise<SubmitJudgement> {
    const { adapter, answers, calls, clock, logger } = this.#options;
    const judgement = judgeAnswer(adapter, answer, attempt.operation, clock.now());
    if (judgement.kind === "suspected") {
      const { detail, refusal } = judgement;
      const reason = await accountReason(adapter, calls, judgement.reason);
      return reason ? { kind: "paused", reason, detail } : { kind: "refused", refusal, detail };
    }
    if (judgement.kind === "ready") {
      await answers.save(attempt.uuid, answer).catch((error: unknown) => {
        logger.error({ ...idsOf(attempt), err: error }, "answer not kept: a crash now would lose its files");
      });
    }
    return judgement;
  }

  /** Returns undefined when the POST decided the attempt; else why it may be sent again. */
  async #record(run: Run, judgement: SubmitJudgement): Promise<string | undefined> {
    const { store, state, onReady, onAccepted, logger, clock } = this.#options;
    const { attempt } = run;
    if (judgement.kind === "accepted") {
      const accepted = await recordAcceptance(this.#options, attempt, judgement.reference);
      if (accepted.state === "ambiguous") {
        await this.#end(run, "ambiguous", async () => accepted);
        return undefined;
      }
      const now = clock.now();
      const latency = ageMs(attempt.submittedAt ?? now, now);
      logger.info(
        { ...idsOf(attempt), reference: judgement.reference, latency_ms: latency },
        "attempt accepted",
      );
      const warnings = warningsOf(accepted);
      if (warnings !== undefined)
        logger.warn({ ...idsOf(attempt), warnings }, "the service accepted it with a warning");
      run.attempt = accepted;
      onAccepted(run);
      return undefined;
    }
    if (judgement.kind === "ready") {
      run.attempt = await this.#recordReady(attempt, plausibleCost(this.#options, attempt, judgement.cost));
      onReady(run, judgement.document);
      return undefined;
    }
    const detail = cleanDetail(this.#options, judgement.detail);
    if (judgement.kind === "ambiguous") return this.#recordDoubt(run, detail);
    if (judgement.kind === "refused") {
      await this.#end(run, "refused", () => store.refuse(attempt.id, judgement.refusal, detail));
      return undefined;
    }
    if (judgement.kind === "paused" && judgement.reason === "locked") {
      // It may be what locked the account: it is not sent again, here or elsewhere.
      state.pause(judgement.reason, detail);
      await this.#end(run, "refused", () => store.refuse(attempt.id, "request", detail));
      return undefined;
    }
    const planned = await persist(this.#options, attempt, () => store.unsend(attempt.id, detail));
    run.attempt = planned ?? attempt;
    if (judgement.kind === "declined") {
      await this.#giveUp(run, detail);
      return undefined;
    }
    const event = { ...idsOf(attempt), outcome: judgement.kind, detail };
    logger.warn(event, "attempt not taken by the service, planned again");
    return detail;
  }

  async #recordReady(attempt: Attempt, cost: Cost | undefined): Promise<Attempt> {
    const { store, logger } = this.#options;
    const known = cost ?? attempt.operation.cost;
    const ready = await persist(this.#options, attempt, () => store.ready(attempt.id, known));
    logger.info({ ...idsOf(attempt), cost: known }, "attempt ready");
    return ready ?? attempt;
  }

  async #recordDoubt(run: Run, detail: string): Promise<undefined> {
    const { adapter, store, clock, logger, onDoubt } = this.#options;
    const { attempt } = run;
    if (!adapter.lookUp) {
      await this.#end(run, "ambiguous", () => store.setAmbiguous(attempt.id, detail, undefined));
      return;
    }
    logger.warn({ ...idsOf(attempt), detail }, "outcome of a submit is unknown, looking it up");
    const dueAt = integer(clock.now() + LOOK_UP_AFTER_MS);
    await persist(this.#options, attempt, () => store.doubt(attempt.id, detail, dueAt));
    onDoubt();
  }

  async #end(run: Run, end: "refused" | "ambiguous", write: () => Promise<Attempt | undefined>) {
    const { logger, stats } = this.#options;
    const ended = (await persist(this.#options, run.attempt, write)) ?? run.attempt;
    stats.noteEnd(end);
    const event = { ...idsOf(ended), refusal: ended.refusal, detail: ended.detail };
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

type Parts = Pick<ServiceContext, "store" | "spool" | "polls" | "clock" | "logger" | "closing" | "failPoint">;

/**
 * Writes the reference, or keeps it in the spool for as long as the database does not take it.
 * @returns an ambiguous attempt where another one has the task
 * @throws where the database refuses the row for good
 */
async function recordAcceptance(
  parts: Parts,
  attempt: Attempt,
  reference: UpstreamReference,
): Promise<Attempt> {
  const { spool, logger, clock, closing, failPoint } = parts;
  const spooled = { uuid: attempt.uuid, reference, acceptedAt: clock.now() };
  if (closing.aborted) {
    spool.saveOrLog(spooled, logger);
    throw new Error("accepted after the end of the service");
  }
  spool.hold(spooled);
  try {
    const accepted = await acceptSpooled(parts, attempt, spooled).catch(async (error: unknown) => {
      if (isConstraint(error)) throw error;
      spool.saveOrLog(spooled, logger);
      failPoint("upstream:spooled");
      const written = await persist(parts, attempt, () => acceptSpooled(parts, attempt, spooled));
      spool.remove(attempt.uuid, logger);
      return written;
    });
    return accepted ?? attempt;
  } finally {
    spool.release(attempt.uuid);
  }
}

/** Returns undefined when the attempt has a reference, or can have none. */
export function acceptSpooled(
  parts: Pick<Parts, "store" | "polls">,
  attempt: Attempt,
  spooled: SpooledReference,
): Promise<Attempt | undefined> {
  return parts.store.accept(attempt.id, acceptanceOf(parts, attempt, spooled));
}

/** Builds an acceptance, with the deadline of the mapping, and the first poll as the service's schedule has it. */
export function acceptanceOf(
  { polls }: Pick<Parts, "polls">,
  attempt: Attempt,
  { reference, acceptedAt }: Omit<SpooledReference, "uuid">,
): Acceptance {
  const deadlineAt = integer(acceptedAt + deadlineMs(attempt.operation.poll));
  return { reference, acceptedAt, deadlineAt, dueAt: integer(acceptedAt + polls.firstPauseMs(attempt)) };
}
