import type { AttemptState } from "../jobs/order-reader.js";
import { Ages } from "../platform/ages.js";
import { BoundedMap } from "../platform/bounded-map.js";
import { integer } from "../platform/integer.js";
import type { PollResult } from "../platform/poller.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { LookUpOutcome, UpstreamReference } from "./adapter.js";
import type { Attempt } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import { causeOf, isBounded, outcomeOf } from "./outcomes.js";
import { idsOf, type Run, type Service } from "./service.js";

/** Time until lists of a service show a task. Then the person has waited long enough. */
const DOUBT_MAX_MS = 6 * MINUTE_MS;
const DOUBT_PAUSE_MIN_MS = 5 * SECOND_MS;
const DOUBT_PAUSE_MAX_MS = MINUTE_MS;
const UNKNOWN: Found = { kind: "unknown" };
/** Spaces the look-ups of an ambiguous attempt, which are for the operator's record. */
const AMBIGUOUS_PAUSE_MS = HOUR_MS;
const AMBIGUOUS_MAX_MS = DAY_MS;

const DOUBTFUL: readonly AttemptState[] = ["sending", "ambiguous"];
const CALLS_MAX = 4;
/** An attempt that is forgotten is asked about anew for as long. */
const ASKED_MAX = 10_000;

/** Result of a look-up. `forbidden`: the key is good for submits, and may not ask. */
type Found = Exclude<LookUpOutcome, { kind: "next" }> | { kind: "forbidden" };

export class LookUps {
  readonly #ages: Ages;
  /** Maps an attempt to when this process first asked about it, by the monotonic clock. */
  readonly #firstAsked = new BoundedMap<number, number>(ASKED_MAX);

  constructor(
    private readonly service: Service,
    private readonly callbacks: ServiceCallbacks,
    private readonly follow: (run: Run) => void,
  ) {
    this.#ages = new Ages(service.clock);
  }

  /** Looks up an attempt that is `sending` without a POST in flight, or `ambiguous`. */
  async lookUp(attempt: Attempt, signal: AbortSignal): Promise<PollResult> {
    const { runs } = this.service;
    const outcome = await this.#ask(attempt, signal);
    if (signal.aborted) return { kind: "open" };
    if (outcome.kind === "found" && isBounded(outcome.reference))
      return this.#found(attempt, outcome.reference);
    if (outcome.kind === "absent") return this.#absent(attempt);
    if (outcome.kind === "forbidden" && attempt.state === "sending")
      return this.endDoubt(attempt, "the key may not ask what became of it");
    runs.get(attempt.attempt_id)?.slot.leave();
    return this.leaveUnknown(attempt);
  }

  /** Ends the job with its refund, as nobody can tell. */
  async endDoubt(attempt: Attempt, why: string): Promise<PollResult> {
    await this.giveUp(attempt, why);
    return this.service.adapter.lookUp ? { kind: "open", afterMs: AMBIGUOUS_PAUSE_MS } : { kind: "ended" };
  }

  /** Gives up where the service cannot be asked, or does not know. The attempt is never sent again. */
  async giveUp(attempt: Attempt, why = "the service cannot be asked what became of it"): Promise<void> {
    const { adapter, store, clock, logger, runs } = this.service;
    const dueAt = adapter.lookUp ? integer(clock.now() + AMBIGUOUS_PAUSE_MS) : undefined;
    const detail = attempt.detail ?? "the process ended during the submit";
    const ambiguous = await store.setAmbiguous(attempt.attempt_id, detail, dueAt);
    if (!ambiguous) return;
    logger.error(
      { ...this.#doubtOf(attempt, "unknown"), detail, why },
      "attempt ambiguous: it may have been paid for, and is never sent again",
    );
    const outcome = outcomeOf(ambiguous);
    if (outcome) runs.get(attempt.attempt_id)?.end(outcome);
  }

  async #ask(attempt: Attempt, signal: AbortSignal): Promise<Found> {
    const { adapter, calls, store, clock, logger, runs } = this.service;
    if (!adapter.lookUp || !adapter.readLookUp) return UNKNOWN;
    const { uuid: id, operation } = attempt;
    const submittedAt = attempt.submitted_at ?? attempt.planned_at;
    const taken = store.tasksLike(attempt);
    // Counted from the first call on: what an earlier process stored may be by a clock that was wrong.
    const now = clock.monotonic();
    const firstAskedAt = this.#firstAsked.get(attempt.attempt_id) ?? now;
    this.#firstAsked.set(attempt.attempt_id, firstAskedAt);
    const doubtful = { id, operation, submittedAt, askedForMs: now - firstAskedAt, taken };
    try {
      let call = adapter.lookUp(doubtful);
      for (let count = 1; count <= CALLS_MAX; count += 1) {
        const askedAt = submittedAt + this.#doubtMs(attempt);
        const answer = await calls.ask(call, signal);
        if (answer.fault) return UNKNOWN;
        if (answer.status === 401 || answer.status === 403) return { kind: "forbidden" };
        const outcome = adapter.readLookUp(answer, doubtful, askedAt, call);
        if (outcome.kind !== "next") return outcome;
        call = outcome.call;
        // A repeat may make the task: never for a job that has ended, or does not wait yet.
        if (call.method === "POST" && !runs.get(attempt.attempt_id)) return UNKNOWN;
      }
    } catch (error) {
      logger.debug({ ...idsOf(attempt), reason: causeOf(error) }, "attempt not looked up");
    }
    return UNKNOWN;
  }

  async #found(attempt: Attempt, reference: UpstreamReference): Promise<PollResult> {
    const { clock, logger, runs } = this.service;
    const accepted = await this.service.accept(attempt, { reference, accepted_at: clock.now() }, true);
    if (!accepted) return this.leaveUnknown(attempt);
    const event = { ...this.#doubtOf(attempt, "accepted"), reference, late: accepted.late === 1 };
    if (accepted.late === 1) logger.error(event, "task of an ambiguous attempt found: its job has ended");
    else logger.info(event, "attempt accepted, as a look-up shows");
    const run = runs.get(attempt.attempt_id);
    if (run) {
      run.attempt = accepted;
      run.slot.retake();
      this.follow(run);
    }
    return { kind: "open", afterMs: this.callbacks.pauseMs(attempt, this.service.firstPauseMs(attempt)) };
  }

  async #absent(attempt: Attempt): Promise<PollResult> {
    const { store, logger, runs } = this.service;
    if (!(await store.cancel(attempt.attempt_id, DOUBTFUL, "not accepted, as a look-up shows")))
      return { kind: "ended" };
    logger.info(this.#doubtOf(attempt, "not_accepted"), "attempt surely not accepted, as a look-up shows");
    runs.get(attempt.attempt_id)?.end("again");
    return { kind: "ended" };
  }

  /** Leaves the outcome unknown until the doubt has lasted long enough. */
  async leaveUnknown(attempt: Attempt): Promise<PollResult> {
    const { adapter, store } = this.service;
    const openMs = this.#doubtMs(attempt);
    if (attempt.state === "sending") {
      if (adapter.lookUp && openMs < DOUBT_MAX_MS) {
        const pauseMs = Math.min(DOUBT_PAUSE_MAX_MS, Math.max(DOUBT_PAUSE_MIN_MS, openMs / 2));
        return { kind: "open", afterMs: pauseMs };
      }
      return this.endDoubt(attempt, "no look-up has found it");
    }
    if (openMs < AMBIGUOUS_MAX_MS) return { kind: "open", afterMs: AMBIGUOUS_PAUSE_MS };
    await store.stopPolling(attempt.attempt_id);
    return { kind: "ended" };
  }

  #doubtOf(attempt: Attempt, doubt: "accepted" | "not_accepted" | "unknown") {
    return { ...idsOf(attempt), doubt, doubt_ms: Math.round(this.#doubtMs(attempt)) };
  }

  /** Returns the age of a submit by a clock that no step changes. */
  #doubtMs({ attempt_id: id, submitted_at, planned_at }: Attempt): number {
    return this.#ages.of(String(id), submitted_at ?? planned_at);
  }
}
