import type { Database } from "../../../database/database.js";
import { isDiskFault } from "../../../database/errors.js";
import type { Transaction } from "../../../database/transaction.js";
import type { ServiceSettings } from "../../../mapping/service-settings.js";
import type { Clock } from "../../../platform/clock.js";
import { type FailPoint, noFailPoint } from "../../../platform/fail-point.js";
import type { Ids } from "../../../platform/ids.js";
import type { Logger } from "../../../platform/logger.js";
import type { AgentOptions } from "../../../platform/outgoing-agent.js";
import { Slots } from "../../../platform/slots.js";
import type { OperatorNotices } from "../../../ports/operator-notices.js";
import {
  isTaking,
  type OnQueue,
  type Outcome,
  type ProviderHost,
  type ProviderState,
  type Upstream,
  type UpstreamTask,
} from "../../../ports/provider.js";
import type { UpstreamAdapter } from "../adapter.js";
import { wasSent } from "./attempt-moves.js";
import { AttemptPlanner, type TaskReferences } from "./attempt-planner.js";
import { AttemptStore } from "./attempt-store.js";
import type { ServiceCallbacks } from "./callbacks.js";
import { JobSlot } from "./job-slot.js";
import type { KeptAnswers } from "./kept-answers.js";
import { notStored, postponed } from "./outcomes.js";
import type { TaskOutputs } from "./output-collector.js";
import { probe } from "./probe.js";
import type { ReferenceSpool } from "./reference-spool.js";
import { Run, type RunEnd } from "./run.js";
import { type Credit, ServiceBalance } from "./service-balance.js";
import { ServiceCalls, type ServiceCallsOptions } from "./service-calls.js";
import { ServiceDriver } from "./service-driver.js";
import { ServiceState } from "./service-state.js";
import { ServiceStats } from "./service-stats.js";
import { StateStore } from "./state-store.js";

export interface HttpProviderOptions {
  callbackUrl: string;
  references: TaskReferences;
  adapter: UpstreamAdapter;
  key: string;
  /** Address that takes the place of the service's own scheme, host and port. */
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  exchange?: ServiceCallsOptions["exchange"];
  settings: ServiceSettings;
  canBeCalled?: boolean;
  /** Limit instead of the settings' own. */
  concurrency?: number | undefined;
  outputs: TaskOutputs;
  database: Database;
  /** Pause between checks of an idle service that is the operator's own. */
  idleCheckMs?: number | undefined;
  spool: ReferenceSpool;
  answers: KeptAnswers;
  notices: OperatorNotices;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint?: FailPoint;
}

/** Limits the jobs that wait for the window of submits. More wait in their accounts' turns. */
const UNSENT_MAX = 8;

/** Makes the jobs of one service. A job has attempts, of which at most one is ever accepted. */
export class HttpProvider implements Upstream {
  readonly name: string;
  readonly kind = "upstream";
  readonly stats = new ServiceStats();
  readonly store: AttemptStore;
  readonly #options: HttpProviderOptions;
  readonly #state: ServiceState;
  readonly #balance: ServiceBalance;
  readonly #calls: ServiceCalls;
  readonly #logger: Logger;
  readonly #planner: AttemptPlanner;
  readonly #slots: Slots;
  #host: ProviderHost<Transaction> | undefined;
  #driver: ServiceDriver | undefined;
  #sent = 0;
  #started: Promise<void> | undefined;

  constructor(options: HttpProviderOptions) {
    const { adapter, database, clock, settings } = options;
    const { name } = adapter;
    this.name = name;
    this.store = new AttemptStore(database, name);
    this.#options = options;
    this.#logger = options.logger.child({ provider: name });
    const calls = new ServiceCalls({
      adapter,
      key: options.key,
      root: options.root,
      agent: options.agent,
      exchange: options.exchange,
      clock,
      ids: options.ids,
      onReached: (reach) => this.#state.noteReached(reach),
    });
    this.#calls = calls;
    this.#slots = new Slots(clock, { size: options.concurrency ?? settings.concurrency });
    this.#state = new ServiceState({
      store: new StateStore(database, name),
      probe: adapter.probe && {
        ask: (reason) => probe(adapter, calls, reason),
        tells: adapter.probeTells ?? "account",
      },
      reach: () => calls.reach(),
      idleCheckMs: options.idleCheckMs,
      onChange: () => this.#host?.roomAgain(),
      clock,
      logger: this.#logger,
    });
    const { notices } = options;
    this.#balance = new ServiceBalance({ adapter, calls, database, notices, clock, logger: this.#logger });
    this.#planner = new AttemptPlanner({
      adapter,
      store: this.store,
      state: this.#state,
      callbackUrl: options.callbackUrl,
      references: options.references,
      mayBeSent: (jobId) => this.#host?.mayBeSent(jobId) ?? true,
      clock,
      ids: options.ids,
    });
  }

  /** Limits jobs. Those in doubt run beside it: each leaves its slot to another. */
  get concurrency(): number {
    const { concurrency, settings } = this.#options;
    return (concurrency ?? settings.concurrency) + this.#slots.slow;
  }

  get newJobsMax(): number {
    if (this.state.kind === "throttled") return this.#sent + 1;
    return this.#options.settings.submits ? this.#sent + UNSENT_MAX : this.concurrency;
  }

  get state(): ProviderState {
    return this.#state.current;
  }

  /** What the service last told of its account; undefined where it tells nothing. */
  get credit(): Credit | undefined {
    return this.#balance.current;
  }

  /** Sends the service tasks again, which show whether it takes them. */
  resume(): void {
    this.#state.resume();
  }

  get callbacks(): Pick<ServiceCallbacks, "take" | "drop"> {
    return this.#begun.callbacks;
  }

  get inFlight(): number {
    return this.#slots.held;
  }

  /** Starts once; `run` waits for it. */
  start(host: ProviderHost<Transaction>): Promise<void> {
    this.#host = host;
    this.#driver ??= this.#createDriver(host);
    if (!this.#started) this.#balance.start();
    this.#started ??= this.#driver.start();
    return this.#started;
  }

  hasAttempt(jobId: number): boolean {
    const latest = this.store.latestOf(jobId);
    return latest !== undefined && wasSent(latest.state);
  }

  forget(jobId: number): void {
    const latest = this.store.latestOf(jobId);
    if (latest?.state === "planned") this.#begun.cancel(latest);
    // One with a time to be polled is not fetched yet, and kept as late.
    if (!latest || latest.state === "planned" || latest.reference || latest.dueAt !== undefined) return;
    this.#options.answers.remove(latest.uuid).catch((error: unknown) => {
      this.#logger.warn({ attempt_id: latest.id, err: error }, "kept answer not removed");
    });
  }

  async run(task: UpstreamTask, signal: AbortSignal, onQueue: OnQueue = () => {}): Promise<Outcome> {
    try {
      await this.#started;
      const isSent = this.hasAttempt(task.jobId);
      if (!isSent && !isTaking(this.state)) return postponed(this.state.kind);
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

  async close(): Promise<void> {
    await this.#balance.stop();
    if (this.#driver) return this.#driver.close();
    await Promise.all([this.#state.close(), this.#calls.close()]);
  }

  get #begun(): ServiceDriver {
    if (!this.#driver) throw new Error(`the provider ${this.name} has not been started`);
    return this.#driver;
  }

  #createDriver(host: ProviderHost<Transaction>): ServiceDriver {
    const { adapter, key, settings, outputs, spool, answers, clock, ids, ...rest } = this.#options;
    return new ServiceDriver({
      host,
      adapter,
      key,
      settings,
      outputs,
      spool,
      answers,
      clock,
      ids,
      failPoint: rest.failPoint ?? noFailPoint,
      callbackAddress: adapter.callsBack && rest.canBeCalled ? rest.callbackUrl : undefined,
      store: this.store,
      state: this.#state,
      stats: this.stats,
      calls: this.#calls,
      logger: this.#logger,
    });
  }

  async #run(task: UpstreamTask, signal: AbortSignal, onQueue: OnQueue, slot: JobSlot): Promise<Outcome> {
    const listeners = {
      onQueue,
      onSent: () => this.#noteSent(),
      onDoubt: () => {
        if (slot.leave()) this.#host?.roomAgain();
      },
      onFound: () => slot.retake(),
    };
    for (;;) {
      const attempt = await this.#planner.attemptOf(task, signal);
      if ("reason" in attempt) return attempt;
      const end = await this.#await(new Run(task, attempt, signal, listeners));
      if (end !== "again") return end;
      await slot.reacquire(signal);
    }
  }

  #noteSent(): void {
    this.#sent += 1;
    if (this.#options.settings.submits) this.#host?.roomAgain();
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
      this.#begun.begin(run);
      return await Promise.race([run.ended, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#begun.end(run);
      if (run.isSent) this.#sent -= 1;
    }
  }
}
