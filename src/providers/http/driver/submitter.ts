import { isConstraint, isDiskFault } from "../../../database/errors.js";
import type { Json } from "../../../mapping/json.js";
import type { Cost } from "../../../mapping/operation.js";
import { BoundedMap } from "../../../platform/bounded-map.js";
import { ageMs, sleep } from "../../../platform/clock.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { integer } from "../../../platform/integer.js";
import type { RateLimit } from "../../../platform/rate-limit.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { Slots } from "../../../platform/slots.js";
import { SECOND_MS } from "../../../platform/units.js";
import { isTaking, type ProviderHost } from "../../../ports/provider.js";
import type { UpstreamCall } from "../adapter.js";
import type { Attempt } from "./attempt.js";
import { warningsOf } from "./files-of.js";
import { judgeAnswer, judgeFailure, type SubmitJudgement } from "./judge-submit.js";
import { declined, failed, notStored, outcomeOf, postponed } from "./outcomes.js";
import { plausibleCost } from "./plausible-cost.js";
import { deadlineMs } from "./poll-schedule.js";
import { accountReason } from "./probe.js";
import { recordAcceptance } from "./record-acceptance.js";
import type { Run, Runs } from "./run.js";
import { cleanDetail, idsOf, persist, type ServiceContext } from "./service-context.js";
import { LONG_WAIT_MS, THROTTLE_MS } from "./throttle.js";
import { type Trouble, troubleAfter } from "./trouble.js";

export interface SubmitterOptions extends ServiceContext {
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
