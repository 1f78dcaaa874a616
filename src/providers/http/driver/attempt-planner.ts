import type { Operation } from "../../../mapping/operation.js";
import { filledOperation, readStoredForm, type SoldOperation } from "../../../mapping/sold-operation.js";
import { type Clock, sleep } from "../../../platform/clock.js";
import type { Ids } from "../../../platform/ids.js";
import { integer } from "../../../platform/integer.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { HOUR_MS, SECOND_MS } from "../../../platform/units.js";
import { isTaking, type ProviderHost, type UpstreamTask } from "../../../ports/provider.js";
import { GenerationError } from "../../../workers/generation-error.js";
import type { UpstreamAdapter } from "../adapter.js";
import { RefusedPictureError } from "../references/publish.js";
import type { Attempt } from "./attempt.js";
import { wasSent } from "./attempt-moves.js";
import type { AttemptStore } from "./attempt-store.js";
import {
  declined,
  failed,
  outcomeOf,
  postponed,
  refusedByContent,
  type Unmade,
  unavailable,
} from "./outcomes.js";
import { deadlineMs } from "./poll-schedule.js";
import type { ServiceState } from "./service-state.js";

export interface TaskReferences {
  publish(paths: readonly string[], lifeMs: number, signal: AbortSignal): Promise<readonly string[]>;
}

export interface AttemptPlannerOptions {
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
