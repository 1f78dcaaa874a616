import type { Database } from "../../../database/database.js";
import { isDiskFault } from "../../../database/errors.js";
import { type Clock, sleep } from "../../../platform/clock.js";
import { type FailPoint, noFailPoint } from "../../../platform/fail-point.js";
import type { Ids } from "../../../platform/ids.js";
import { integer } from "../../../platform/integer.js";
import type { Logger } from "../../../platform/logger.js";
import type { AgentOptions } from "../../../platform/outgoing-agent.js";
import { reasonOf } from "../../../platform/reason-of.js";
import { Slots } from "../../../platform/slots.js";
import { SECOND_MS } from "../../../platform/units.js";
import {
  type GenerationTask,
  type OnQueue,
  type Outcome,
  type Provider,
  type ProviderState,
  takesJobs,
} from "../../../ports/provider.js";
import type { Operation } from "../../../routes/operation.js";
import type { ServiceSettings } from "../../../routes/service-settings.js";
import { readStoredForm } from "../../../routes/sold-operation.js";
import { GenerationError } from "../../../workers/generation-error.js";
import type { UpstreamAdapter } from "../adapter.js";
import type { Attempt } from "./attempt.js";
import { wasSent } from "./attempt-moves.js";
import { AttemptStore } from "./attempt-store.js";
import type { Callbacks } from "./callbacks.js";
import { JobSlot } from "./job-slot.js";
import type { KeptAnswers } from "./kept-answers.js";
import type { LateFileKeeper } from "./late-results.js";
import { declined, notStored, outcomeOf, postponed, type Unmade, unavailable } from "./outcomes.js";
import type { OutputFetcher } from "./output-collector.js";
import { type PlanOptions, planOperation } from "./plan-operation.js";
import { deadlineMs } from "./poll-schedule.js";
import { probe } from "./probe.js";
import type { ReferenceSpool } from "./reference-spool.js";
import { Run, type RunEnd } from "./run.js";
import { ServiceCalls, type ServiceCallsOptions } from "./service-calls.js";
import { ServiceDriver } from "./service-driver.js";
import { ServiceState } from "./service-state.js";
import { ServiceStats } from "./service-stats.js";
import { StateStore } from "./state-store.js";

export interface HttpProviderOptions extends PlanOptions {
  adapter: UpstreamAdapter;
  key: string;
  /** Takes the place of the service's own scheme, host and port. */
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  /** Makes the calls to the service. Default: over HTTP. */
  exchange?: ServiceCallsOptions["exchange"];
  settings: ServiceSettings;
  /** True where services can reach `callbackUrl`. */
  canBeCalled?: boolean;
  /** Instead of the settings' own. */
  concurrency?: number | undefined;
  outputs: OutputFetcher;
  lateFiles: LateFileKeeper;
  /** True when another provider has a route for the job and is up. */
  mayDecline?: (jobId: number) => boolean;
  /** Called when `concurrency` or `newJobsMax` has grown, and when the state of the service has changed. */
  onRoom?: () => void;
  database: Database;
  /** Between checks of an idle service that is the operator's own. */
  idleCheckMs?: number | undefined;
  /** Shared by all services. */
  spool: ReferenceSpool;
  /** Shared by all services. */
  answers: KeptAnswers;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint?: FailPoint;
}

/** Jobs that wait for the window of a service's submits. More wait in their accounts' turns. */
const UNSENT_MAX = 8;
/** A service that cannot be reached is known as such. */
const CONFIRMED_WITHIN_MS = 5 * SECOND_MS;
/** A job is sent again once, after a look-up has proved that nothing was made. */
const SENT_MAX = 2;

/** One service. A job has attempts, of which at most one is ever accepted. */
export class HttpProvider implements Provider {
  readonly name: string;
  readonly kind = "upstream";
  readonly isPreview = false;
  readonly stats = new ServiceStats();
  readonly store: AttemptStore;
  readonly #options: HttpProviderOptions;
  readonly #state: ServiceState;
  readonly #driver: ServiceDriver;
  readonly #slots: Slots;
  /** Runs whose attempt was sent. */
  #sent = 0;
  #started: Promise<void> | undefined;

  constructor(options: HttpProviderOptions) {
    const { adapter, database, clock, settings } = options;
    const { name } = adapter;
    const logger = options.logger.child({ provider: name });
    const calls: ServiceCalls = new ServiceCalls({
      ...options,
      onReached: (reach) => this.#state.noteReached(reach),
    });
    this.name = name;
    this.store = new AttemptStore(database, name);
    this.#options = options;
    this.#slots = new Slots(clock, { size: options.concurrency ?? settings.concurrency });
    this.#state = new ServiceState({
      store: new StateStore(database, name),
      probe: adapter.probe && {
        ask: (reason) => probe(adapter, calls, reason),
        tells: adapter.probeTells ?? "account",
      },
      reach: () => calls.reach(),
      idleCheckMs: options.idleCheckMs,
      onChange: () => options.onRoom?.(),
      clock,
      logger,
    });
    this.#driver = new ServiceDriver({
      ...options,
      mayDecline: options.mayDecline ?? (() => false),
      failPoint: options.failPoint ?? noFailPoint,
      callbackAddress: adapter.callsBack && options.canBeCalled ? options.callbackUrl : undefined,
      store: this.store,
      state: this.#state,
      stats: this.stats,
      calls,
      logger,
    });
  }

  /** Jobs in doubt run beside it: each leaves its slot to another. */
  get concurrency(): number {
    const { concurrency, settings } = this.#options;
    return (concurrency ?? settings.concurrency) + this.#slots.slow;
  }

  get newJobsMax(): number {
    // One is sent to see what the service says now; the others would be postponed.
    if (this.state.kind === "throttled") return this.#sent + 1;
    return this.#options.settings.submits ? this.#sent + UNSENT_MAX : this.concurrency;
  }

  get state(): ProviderState {
    return this.#state.current;
  }

  /** The service is sent tasks again, and shows whether it takes them. */
  resume(): void {
    this.#state.resume();
  }

  /** What the service calls about its tasks. */
  get callbacks(): Pick<Callbacks, "take" | "drop"> {
    return this.#driver.callbacks;
  }

  /** Jobs whose tasks are at the service, or wait to be sent. */
  get inFlight(): number {
    return this.#slots.held;
  }

  /** Goes on with what an earlier process left. Once; `run` waits for it. */
  start(): Promise<void> {
    this.#started ??= this.#driver.start();
    return this.#started;
  }

  hasAttempt(jobId: number): boolean {
    const latest = this.store.latestOf(jobId);
    return latest !== undefined && wasSent(latest.state);
  }

  forget(jobId: number): void {
    const latest = this.store.latestOf(jobId);
    if (latest?.state === "planned") this.#driver.cancel(latest);
    // One with a time to be looked at is not fetched yet, and kept as late.
    if (!latest || latest.state === "planned" || latest.reference || latest.dueAt !== undefined) return;
    const { answers, logger } = this.#options;
    answers.remove(latest.uuid).catch((error: unknown) => {
      logger.warn({ attempt_id: latest.id, err: error }, "kept answer not removed");
    });
  }

  async run(task: GenerationTask, signal: AbortSignal, onQueue: OnQueue = () => {}): Promise<Outcome> {
    try {
      await this.start();
      const isSent = this.hasAttempt(task.jobId);
      if (!isSent && !takesJobs(this)) return postponed(this.state.kind);
      if (!isSent) onQueue({});
      // What is at the service goes on, also where the limit was lowered.
      const taken = isSent ? this.#slots.take() : await this.#slots.acquire(signal);
      const slot = new JobSlot(this.#slots, taken);
      try {
        return await this.#run(task, signal, onQueue, slot);
      } finally {
        slot.release();
      }
    } catch (error) {
      if (!signal.aborted && isDiskFault(error)) return notStored(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #run(task: GenerationTask, signal: AbortSignal, onQueue: OnQueue, slot: JobSlot): Promise<Outcome> {
    const listeners = {
      onQueue,
      onSent: () => this.#noteSent(),
      onDoubt: () => {
        if (slot.leave()) this.#options.onRoom?.();
      },
      onFound: () => slot.retake(),
    };
    for (;;) {
      const attempt = await this.#attemptOf(task, signal);
      if ("reason" in attempt) return attempt;
      const end = await this.#await(new Run(task, attempt, signal, listeners));
      if (end !== "again") return end;
      await slot.reacquire(signal);
    }
  }

  #noteSent(): void {
    this.#sent += 1;
    if (this.#options.settings.submits) this.#options.onRoom?.();
  }

  /** The attempt to go on with, or how the job ends without one. */
  async #attemptOf(task: GenerationTask, signal: AbortSignal): Promise<Attempt | Unmade> {
    const latest = this.store.latestOf(task.jobId);
    if (latest && wasSent(latest.state)) return outcomeOf(latest) ?? latest;
    if (this.store.sentCount(task.jobId) >= SENT_MAX) return declined("surely not accepted, twice");
    signal.throwIfAborted();
    const operation = await this.#plan(task, signal);
    if ("reason" in operation) {
      // Of an earlier process. The job ends, or goes to another provider.
      if (latest?.state === "planned") await this.store.giveUp(latest.id, operation.reason);
      return operation;
    }
    signal.throwIfAborted();
    if (latest?.state === "planned")
      return (await this.store.replan(latest.id, operation)) ?? this.#attemptOf(task, signal);
    const plannedAt = this.#options.clock.now();
    const deadlineAt = integer(plannedAt + deadlineMs(operation.poll));
    const uuid = this.#options.ids.request();
    return this.store.plan({ uuid, jobId: task.jobId, operation, plannedAt, deadlineAt });
  }

  /** Until it is submitted, nothing is made: another provider may take the job. */
  async #plan(task: GenerationTask, signal: AbortSignal): Promise<Operation | Unmade> {
    const { adapter, clock } = this.#options;
    const sold = task.operation === undefined ? undefined : readStoredForm(task.operation);
    if (!sold) return unavailable("what was sold cannot be read, or is no longer made");
    try {
      const operation = await planOperation(this.#options, sold, task.references, signal);
      const isRepeat = this.store.sentCount(task.jobId) > 0;
      return (isRepeat && adapter.remake?.(operation)) || operation;
    } catch (error) {
      if (signal.aborted) throw error;
      // A picture that the service cannot take: its message is for the person.
      if (error instanceof GenerationError)
        return { failed: "reference", reason: error.message, cause: error };
      const detail = `references not given to the service: ${reasonOf(error)}`;
      if (await this.#state.isReached()) return declined(detail);
      // One connection that fails proves little: the service is asked again meanwhile.
      if (takesJobs(this)) await sleep(clock, CONFIRMED_WITHIN_MS, signal, this.#state.changed);
      signal.throwIfAborted();
      return takesJobs(this) ? declined(detail) : postponed(detail);
    }
  }

  async #await(run: Run): Promise<RunEnd> {
    const { signal } = run;
    if (run.isSent) this.#noteSent();
    let abort = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
    });
    try {
      signal.throwIfAborted();
      this.#driver.begin(run);
      return await Promise.race([run.ended, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#driver.end(run);
      if (run.isSent) this.#sent -= 1;
    }
  }
}
