import { setMaxListeners } from "node:events";
import { isTaking, type ProviderState } from "../catalogue/choose-provider.js";
import type { ServiceSettings } from "../catalogue/operation.js";
import { type Database, isDiskFault, type Transaction } from "../database/database.js";
import type { OnQueue, Outcome, ProviderHost, Upstream, UpstreamTask } from "../jobs/provider.js";
import { type Clock, sleep } from "../platform/clock.js";
import { type FailPoint, noFailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import { integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import type { AgentOptions } from "../platform/outgoing-agent.js";
import { RateLimit } from "../platform/rate-limit.js";
import { untilDone } from "../platform/retry.js";
import { type Slot, Slots } from "../platform/slots.js";
import { SECOND_MS } from "../platform/units.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { UpstreamAdapter } from "./adapter.js";
import { type Attempt, AttemptStore, wasSent } from "./attempt-store.js";
import { ServiceCallbacks } from "./callbacks.js";
import { LookUps } from "./look-ups.js";
import { notStored, postponed } from "./outcomes.js";
import { LateCollector, OutputCollector, type TaskOutputs } from "./output-collector.js";
import { readKeptAnswer, recoverAnswer } from "./recover-answers.js";
import type { KeptAnswers, ReferenceSpool, SpooledReference } from "./reference-spool.js";
import { probe, Run, type RunEnd, Runs } from "./run.js";
import { type Credit, ServiceBalance } from "./service-balance.js";
import { ServiceCalls, type ServiceCallsOptions } from "./service-calls.js";
import { idsOf, PollPlan, type ServiceContext } from "./service-context.js";
import { ServiceState, StateStore } from "./service-state.js";
import { ServiceStats } from "./service-stats.js";
import { AttemptPlanner, acceptSpooled, RESTORED, Submitter, type TaskReferences } from "./submitter.js";
import { TaskDeadlines, TaskPoller } from "./task-poller.js";

interface ServiceDriverOptions extends Omit<ServiceContext, "closing" | "callbacks" | "polls"> {
  settings: ServiceSettings;
  /** Address that the service may call; undefined where it calls nobody. */
  callbackAddress: string | undefined;
  ids: Pick<Ids, "secret">;
  outputs: TaskOutputs;
  host: ProviderHost<Transaction>;
}

/** Time from the first sign of a stop until submits are left to the next start. */
const DRAIN_MS = 7 * SECOND_MS;
const DRAIN_MIN_MS = 2 * SECOND_MS;
const POLLS_END_MS = SECOND_MS;
/** Spaces the tries of what cannot be written at the start, such as on a full disk. */
const RECOVERY_BACK_OFF = { firstMs: SECOND_MS, maxMs: 10 * SECOND_MS };

/** Moves the attempts of one service, from their plan to their files. */
class ServiceDriver {
  readonly #context: ServiceContext;
  readonly #runs = new Runs();
  readonly #submitter: Submitter;
  readonly #poller: TaskPoller;
  readonly #lookUps: LookUps;
  readonly #host: Pick<ProviderHost, "mayBeSent">;
  readonly #collector: OutputCollector;
  readonly #deadlines: TaskDeadlines;
  readonly #lateCollector: LateCollector;
  readonly #closing = new AbortController();
  #stoppingSince: number | undefined;
  #recovering: Promise<void> = Promise.resolve();

  constructor(options: ServiceDriverOptions) {
    const { settings, callbackAddress: address, ids, outputs, host, ...parts } = options;
    setMaxListeners(0, this.#closing.signal);
    this.#host = host;
    const runs = this.#runs;
    const polls = new PollPlan(settings, runs, parts.clock);
    const onAccepted = (run: Run) => this.#follow(run);
    const wake = () => this.#poller.wake();
    const callbacks = new ServiceCallbacks({ ...parts, address, ids, wake });
    const context: ServiceContext = { ...parts, callbacks, polls, closing: this.#closing.signal };
    this.#context = context;
    this.#deadlines = new TaskDeadlines(context, (run, signal) => this.#poller.askOnce(run, signal));
    this.#collector = new OutputCollector({ ...context, outputs, onPollAgain: wake });
    this.#lateCollector = new LateCollector({ ...context, outputs, host, onPollAgain: wake });
    this.#lookUps = new LookUps({ ...context, runs, onAccepted });
    this.#poller = new TaskPoller({
      ...context,
      runs,
      lookUps: this.#lookUps,
      collector: this.#collector,
      deadlines: this.#deadlines,
      lateCollector: this.#lateCollector,
      limit: pollLimit(context, settings),
    });
    this.#submitter = new Submitter({
      ...context,
      runs,
      host,
      limit: submitLimit(context, settings),
      onAccepted,
      onReady: (run, document) => this.#collector.collect(run, document),
      onDoubt: wake,
    });
  }

  get submitsInFlight(): number {
    return this.#submitter.inFlight;
  }

  get callbacks(): ServiceCallbacks {
    return this.#context.callbacks;
  }

  /** Finds out what an earlier process left, before anything is sent. */
  async start(): Promise<void> {
    const { store, state, clock, logger } = this.#context;
    state.start();
    await recoverReferences(this.#context);
    const left = store.sending();
    try {
      await this.#recoverSending(left);
      await store.resumeReady(clock.now(), "all");
    } catch (error) {
      if (!isDiskFault(error)) throw error;
      logger.error({ err: error }, "what an earlier process left is not resumed yet: it cannot be written");
      this.#recovering = this.#recoverLater(left);
    }
    this.#poller.wake();
  }

  async #recoverSending(left: readonly Attempt[]): Promise<void> {
    const { store, adapter, clock } = this.#context;
    for (const attempt of left) {
      if (store.find(attempt.id)?.state !== "sending") continue;
      if (await recoverAnswer(this.#context, attempt)) continue;
      if (!this.#host.mayBeSent(attempt.jobId)) await this.#lookUps.giveUp(attempt, RESTORED);
      else if (adapter.lookUp)
        await store.doubt(attempt.id, "the process ended during the submit", clock.now());
      else await this.#lookUps.giveUp(attempt);
    }
  }

  /** Resumes finished tasks that no job waits for; others are resumed by their run. Never rejects. */
  async #recoverLater(left: readonly Attempt[]): Promise<void> {
    const { store, clock, logger, closing } = this.#context;
    const onFailure = (error: unknown) => logger.debug({ err: error }, "not resumed yet");
    const options = { clock, backOff: RECOVERY_BACK_OFF, onFailure, signal: closing };
    await untilDone(options, async () => {
      await this.#recoverSending(left);
      await store.resumeReady(clock.now(), "late");
    }).then(
      () => this.#poller.wake(),
      (error: unknown) => logger.warn({ err: error }, "left to the next start"),
    );
  }

  /** Submits the attempt of the run where that was not done, and waits for what it comes to. */
  begin(run: Run): void {
    const { store, clock } = this.#context;
    const { attempt } = run;
    this.#runs.add(run);
    run.signal.addEventListener("abort", () => this.#noteStop(), { once: true });
    if (attempt.state === "planned") return void this.#submitter.submit(run);
    if (attempt.state === "accepted") this.#follow(run);
    if (attempt.state !== "ready" && attempt.state !== "stored") return;
    if (!attempt.reference) return void this.#collectKept(run).catch((error: unknown) => run.fail(error));
    store.pollAgain(attempt.id, clock.now()).then(
      () => this.#poller.wake(),
      (error: unknown) => run.fail(error),
    );
  }

  async #collectKept(run: Run): Promise<void> {
    const kept = await readKeptAnswer(this.#context, run.attempt);
    if (kept) this.#collector.collect(run, kept.document);
    else await this.#collector.fail(run, "the result is lost");
  }

  /** Ends an attempt that was never sent, and that no job waits for. */
  cancel({ id }: Attempt): void {
    const { store, stats, logger } = this.#context;
    store.giveUp(id, "the job has ended, or is another provider's").then(
      (cancelled) => cancelled && stats.noteEnd("cancelled"),
      (error: unknown) => logger.warn({ attempt_id: id, err: error }, "attempt not cancelled"),
    );
  }

  end(run: Run): void {
    this.#deadlines.unwatch(run);
    this.#runs.remove(run);
  }

  /** Awaits submits in flight; those that take too long stay `sending` for the next start. */
  async close(): Promise<void> {
    const { clock, state, calls } = this.#context;
    this.#noteStop();
    await this.#poller.close(POLLS_END_MS);
    this.#deadlines.close();
    const now = clock.monotonic();
    const stoppingMs = now - (this.#stoppingSince ?? now);
    await this.#submitter.idle(Math.max(DRAIN_MIN_MS, DRAIN_MS - stoppingMs));
    this.#closing.abort();
    await Promise.all([state.close(), calls.close(), this.#recovering]);
    const patience = new AbortController();
    const fetches = Promise.all([this.#collector.ended(), this.#lateCollector.ended()]);
    const ended = fetches.then(() => patience.abort());
    await Promise.race([ended, sleep(clock, POLLS_END_MS, patience.signal)]);
  }

  #follow(run: Run): void {
    this.#deadlines.watch(run);
    this.#context.callbacks.follow(run.attempt);
    this.#poller.wake();
  }

  #noteStop(): void {
    this.#stoppingSince ??= this.#context.clock.monotonic();
  }
}

/** Limits submits. Those of before the start of the process count. */
function submitLimit({ store, clock }: ServiceContext, { submits }: ServiceSettings): RateLimit {
  if (!submits) return new RateLimit(clock);
  const perMs = submits.per_ms;
  return new RateLimit(
    clock,
    { count: submits.count, perMs },
    store.submittedSince(integer(clock.now() - perMs)),
  );
}

function pollLimit({ clock }: ServiceContext, { polls_per_sec: rate }: ServiceSettings): RateLimit {
  if (rate === undefined) return new RateLimit(clock);
  const count = Math.max(1, Math.floor(rate));
  return new RateLimit(clock, { count, perMs: (count * SECOND_MS) / rate });
}

type Parts = Pick<ServiceContext, "store" | "spool" | "polls" | "logger">;

/** Writes the references that an earlier process could not write. Never throws: their attempts are then doubtful. */
async function recoverReferences(parts: Parts): Promise<void> {
  for (const spooled of readSpooled(parts)) {
    try {
      await apply(parts, spooled);
    } catch (error) {
      parts.logger.error({ uuid: spooled.uuid, err: error }, "spooled reference not applied");
    }
  }
}

function readSpooled({ spool, logger }: Parts): SpooledReference[] {
  try {
    const { references, unreadable } = spool.read();
    for (const line of unreadable) logger.error({ line }, "spooled reference cannot be read");
    return references;
  } catch (error) {
    logger.error({ err: error }, "spool of references cannot be read");
    return [];
  }
}

async function apply(parts: Parts, spooled: SpooledReference): Promise<void> {
  const { store, spool, logger } = parts;
  const attempt = store.findByUuid(spooled.uuid);
  if (!attempt) return;
  const accepted = await acceptSpooled(parts, attempt, spooled);
  if (accepted?.state === "ambiguous")
    logger.error({ ...idsOf(accepted), detail: accepted.detail }, "attempt ambiguous: its task is another's");
  else if (accepted) logger.info(idsOf(accepted), "attempt accepted by an earlier process");
  spool.remove(spooled.uuid, logger);
}

/** Slot of one job at its service: held while its task may be there, and left while that is in doubt. */
class JobSlot {
  readonly #slots: Slots;
  #slot: Slot;
  #isLeft = false;

  constructor(slots: Slots, slot: Slot) {
    this.#slots = slots;
    this.#slot = slot;
  }

  /** Leaves the slot to others. Returns false where it was left before. */
  leave(): boolean {
    if (this.#isLeft) return false;
    this.#isLeft = true;
    this.#slot.leave();
    return true;
  }

  /** Takes the slot again, above the limit too: its task is at the service after all. */
  retake(): void {
    if (!this.#isLeft) return;
    this.#slot.release();
    this.#slot = this.#slots.take();
    this.#isLeft = false;
  }

  /** Waits for the slot before another submit. */
  async reacquire(signal: AbortSignal): Promise<void> {
    if (!this.#isLeft) return;
    this.#slot.release();
    this.#slot = await this.#slots.acquire(signal);
    this.#isLeft = false;
  }

  release(): void {
    this.#slot.release();
  }
}

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
  notices: NoticeQueue;
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
