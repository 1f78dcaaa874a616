import { isTaking, type ProviderState } from "../catalogue/choose-provider.js";
import { isBusy, isDiskFault } from "../database/database.js";
import type { OnQueue, Outcome, ProviderHost, Upstream, UpstreamTask } from "../jobs/provider.js";
import { within } from "../platform/clock.js";
import { integer } from "../platform/integer.js";
import { RateLimit } from "../platform/rate-limit.js";
import { retry } from "../platform/retry.js";
import { Slots } from "../platform/slots.js";
import { SECOND_MS } from "../platform/units.js";
import type { Attempt } from "./attempt-store.js";
import { ServiceCallbacks } from "./callbacks.js";
import { LookUps } from "./look-ups.js";
import { notStored, plausibleCost, postponed, readKeptAnswer } from "./outcomes.js";
import { OutputCollector } from "./output-collector.js";
import type { SpooledReference } from "./reference-spool.js";
import { type HttpProviderOptions, idsOf, JobSlot, Run, type RunEnd, Service } from "./service.js";
import { ServiceBalance } from "./service-balance.js";
import { RESTORED, Submitter } from "./submitter.js";
import { TaskPoller } from "./task-poller.js";

/** Time from the first sign of a stop until submits are left to the next start. */
const DRAIN_MS = 7 * SECOND_MS;
const DRAIN_MIN_MS = 2 * SECOND_MS;
const POLLS_END_MS = SECOND_MS;
/** Spaces the tries of what cannot be written at the start, such as on a full disk. */
const RECOVERY_BACK_OFF = { firstMs: SECOND_MS, maxMs: 10 * SECOND_MS };
/** Limits the jobs that wait for the window of submits. More wait in their accounts' turns. */
const UNSENT_MAX = 8;

/** Makes the jobs of one service. A job has attempts, of which at most one is ever accepted. */
export class HttpProvider implements Upstream {
  readonly name: string;
  readonly kind = "upstream";
  readonly callbacks: ServiceCallbacks;
  readonly service: Service;
  readonly balance: ServiceBalance;
  readonly #concurrency: number;
  readonly #slots: Slots;
  readonly #submitter: Submitter;
  readonly #lookUps: LookUps;
  readonly #collector: OutputCollector;
  readonly #poller: TaskPoller;
  #stoppingSince: number | undefined;
  #started: Promise<void> | undefined;
  #recovering: Promise<void> = Promise.resolve();

  constructor(options: HttpProviderOptions) {
    const { adapter, settings, clock, concurrency = settings.concurrency } = options;
    this.name = adapter.name;
    const wake = () => {
      if (this.#started) this.#poller.wake();
    };
    const service = new Service(options, wake);
    this.service = service;
    this.#concurrency = concurrency;
    this.#slots = new Slots(clock, { size: concurrency });
    this.balance = new ServiceBalance(service);
    this.callbacks = new ServiceCallbacks(service);
    this.#collector = new OutputCollector(service);
    this.#lookUps = new LookUps(service, this.callbacks, (run) => this.#poller.follow(run));
    const { callbacks } = this;
    this.#poller = new TaskPoller(service, callbacks, this.#lookUps, this.#collector, pollLimit(service));
    this.#submitter = new Submitter(service, callbacks, this.#poller, this.#collector, submitLimit(service));
  }

  /** Limits jobs. Those in doubt run beside it: each leaves its slot to another. */
  get concurrency(): number {
    return this.#concurrency + this.#slots.slow;
  }

  get newJobsMax(): number {
    const sent = this.service.runs.size;
    if (this.state.kind === "throttled") return sent + 1;
    return this.service.options.settings.submits ? sent + UNSENT_MAX : this.concurrency;
  }

  get state(): ProviderState {
    return this.service.state.current;
  }

  get inFlight(): number {
    return this.#slots.held;
  }

  /** Sends the service tasks again, which show whether it takes them. */
  resume(): void {
    this.service.state.resume();
  }

  /** Starts once; `run` waits for it. */
  start(host: ProviderHost): Promise<void> {
    this.service.host = host;
    if (!this.#started) this.balance.start();
    this.#started ??= this.#start();
    return this.#started;
  }

  hasAttempt(jobId: number): boolean {
    return this.service.store.historyOf(jobId).isSent;
  }

  forget(jobId: number): void {
    const { latest } = this.service.store.historyOf(jobId);
    if (latest?.state === "planned") this.#cancel(latest);
    else if (!latest || latest.due_at !== null) return;
    else if (latest.state === "ready" && latest.late === 0)
      // Files that could not be kept for their job are fetched again: they become a late result.
      this.#pollAgain(latest).catch((error: unknown) =>
        this.service.logger.warn({ ...idsOf(latest), err: error }, "attempt left as it is"),
      );
    else if (!latest.reference) void this.service.removeAnswer(latest);
  }

  async run(task: UpstreamTask, signal: AbortSignal, onQueue: OnQueue = () => {}): Promise<Outcome> {
    const { store } = this.service;
    try {
      await this.#started;
      let history = store.historyOf(task.jobId);
      const { isSent } = history;
      if (!isSent && !isTaking(this.state)) return postponed(this.state.kind);
      if (!isSent) onQueue({});
      // What is at the service goes on, also where the limit was lowered.
      const taken = isSent ? this.#slots.take() : await this.#slots.acquire(signal);
      const slot = new JobSlot(this.#slots, taken, () => this.service.roomAgain());
      try {
        for (;;) {
          const attempt = await this.#submitter.attemptOf(task, history, signal);
          if ("kind" in attempt) return attempt;
          const end = await this.#runAttempt(new Run(task, attempt, signal, onQueue, slot));
          if (end !== "again") return end;
          await slot.reacquire(signal);
          history = store.historyOf(task.jobId);
        }
      } finally {
        slot.release();
      }
    } catch (error) {
      if (!signal.aborted && isDiskFault(error)) return notStored(error);
      throw error;
    }
  }

  /** Awaits submits in flight; those that take too long stay `sending` for the next start. */
  async close(): Promise<void> {
    const { clock } = this.service;
    await this.balance.stop();
    this.#stoppingSince ??= clock.monotonic();
    await this.#poller.close(POLLS_END_MS);
    const now = clock.monotonic();
    const stoppingMs = now - (this.#stoppingSince ?? now);
    await this.#submitter.idle(Math.max(DRAIN_MIN_MS, DRAIN_MS - stoppingMs));
    await Promise.all([this.service.close(), this.#recovering]);
    await within(clock, POLLS_END_MS, this.#collector.ended());
  }

  /** Finds out what an earlier process left, before anything is sent. */
  async #start(): Promise<void> {
    const { store, state, clock, logger, options } = this.service;
    state.start();
    const spooled = options.spool.readOrLog(logger);
    const left = store.sending();
    try {
      await this.#recoverLeft(spooled, left);
      await store.resumeReady(clock.now(), "all");
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      logger.error({ err: error }, "what an earlier process left is not resumed yet: it cannot be written");
      this.#recovering = this.#recoverLater(spooled, left);
    }
    this.#poller.wake();
  }

  /** Writes the references first: an attempt that is `sending` without one is doubtful. Throws what may pass. */
  async #recoverLeft(spooled: readonly SpooledReference[], left: readonly Attempt[]): Promise<void> {
    for (const one of spooled)
      await this.#recoverReference(one).catch((error: unknown) => {
        if (isUnwritable(error)) throw error;
        this.service.logger.error({ uuid: one.uuid, err: error }, "spooled reference not applied");
      });
    await this.#recoverSending(left);
  }

  async #recoverReference(spooled: SpooledReference): Promise<void> {
    const { store, logger, options } = this.service;
    const attempt = store.findByUuid(spooled.uuid);
    if (!attempt) return;
    const accepted = await this.service.accept(attempt, spooled);
    if (accepted?.state === "ambiguous")
      logger.error(
        { ...idsOf(accepted), detail: accepted.detail },
        "attempt ambiguous: its task is another's",
      );
    else if (accepted) logger.info(idsOf(accepted), "attempt accepted by an earlier process");
    options.spool.remove(spooled.uuid, logger);
  }

  async #recoverSending(left: readonly Attempt[]): Promise<void> {
    const { store, adapter, clock, host } = this.service;
    for (const attempt of left) {
      if (store.find(attempt.attempt_id)?.state !== "sending") continue;
      if (await this.#recoverAnswer(attempt)) continue;
      if (!host.mayBeSent(attempt.job_id)) await this.#lookUps.giveUp(attempt, RESTORED);
      else if (adapter.lookUp)
        await store.doubt(attempt.attempt_id, "the process ended during the submit", clock.now());
      else await this.#lookUps.giveUp(attempt);
    }
  }

  /** Returns true where an earlier process kept the answer to this submit and then ended. Throws what may pass. */
  async #recoverAnswer(attempt: Attempt): Promise<boolean> {
    const { store, logger } = this.service;
    try {
      const kept = await readKeptAnswer(this.service, attempt);
      if (!kept) return false;
      const cost = plausibleCost(this.service, attempt, kept.cost) ?? attempt.operation.cost;
      await store.ready(attempt.attempt_id, cost);
      logger.info(idsOf(attempt), "attempt ready, as an earlier process kept its answer");
      return true;
    } catch (error) {
      if (isUnwritable(error)) throw error;
      logger.error({ ...idsOf(attempt), err: error }, "kept answer not read");
      return false;
    }
  }

  /** Resumes finished tasks that no job waits for; others are resumed by their run. Never rejects. */
  async #recoverLater(spooled: readonly SpooledReference[], left: readonly Attempt[]): Promise<void> {
    const { store, clock, logger, closing: signal } = this.service;
    const onFailure = (error: unknown) => logger.debug({ err: error }, "not resumed yet");
    const options = { clock, backOff: RECOVERY_BACK_OFF, onFailure, signal };
    await retry(options, async () => {
      await this.#recoverLeft(spooled, left);
      await store.resumeReady(clock.now(), "late");
    }).then(
      () => {
        for (const { attempt_id: id } of left) this.#catchUp(id);
        this.#poller.wake();
      },
      (error: unknown) => logger.warn({ err: error }, "left to the next start"),
    );
  }

  async #runAttempt(run: Run): Promise<RunEnd> {
    const { signal } = run;
    signal.throwIfAborted();
    const abort = () => {
      this.#stoppingSince ??= this.service.clock.monotonic();
      run.fail(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (run.attempt.state === "planned") void this.#submitter.submit(run);
      else this.#resume(run);
      return await run.ended;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#poller.unwatch(run);
      const { runs } = this.service;
      if (runs.get(run.attempt.attempt_id) === run) runs.delete(run.attempt.attempt_id);
    }
  }

  #resume(run: Run): void {
    const { attempt } = run;
    this.service.noteSent(run);
    if (attempt.state === "accepted") this.#poller.follow(run);
    if (attempt.state !== "ready" && attempt.state !== "stored") return;
    const resumed = attempt.reference ? this.#pollAgain(attempt) : this.#collectKept(run);
    resumed.catch((error: unknown) => run.fail(error));
  }

  /** Lets a run go on that began before it was written what became of its attempt. */
  #catchUp(id: number): void {
    const { store, runs } = this.service;
    const [run, attempt] = [runs.get(id), store.find(id)];
    if (run?.attempt.state !== "sending" || !attempt) return;
    run.attempt = attempt;
    this.#resume(run);
  }

  async #collectKept(run: Run): Promise<void> {
    await this.service.takeRoom(run);
    const kept = await readKeptAnswer(this.service, run.attempt);
    if (kept) this.#collector.collect(run, kept.document);
    else await this.#collector.fail(run, "the result is lost");
  }

  async #pollAgain({ attempt_id: id }: Attempt): Promise<void> {
    const { store, clock } = this.service;
    await store.pollAgain(id, clock.now());
    this.#poller.wake();
  }

  /** Ends an attempt that was never sent, and that no job waits for. */
  #cancel({ attempt_id: id }: Attempt): void {
    const { store, logger } = this.service;
    store
      .cancel(id, ["planned"], "the job has ended, or is another provider's")
      .catch((error: unknown) => logger.warn({ attempt_id: id, err: error }, "attempt not cancelled"));
  }
}

/** Tells whether the database cannot be written now, and may be later. */
function isUnwritable(error: unknown): boolean {
  return isDiskFault(error) || isBusy(error);
}

/** Limits submits. Those of before the start of the process count. */
function submitLimit({ store, clock, options }: Service): RateLimit {
  const { submits } = options.settings;
  if (!submits) return new RateLimit(clock);
  const perMs = submits.per_ms;
  const before = store.submittedSince(integer(clock.now() - perMs));
  return new RateLimit(clock, { count: submits.count, perMs }, before);
}

function pollLimit({ clock, options }: Service): RateLimit {
  const { polls_per_sec: rate } = options.settings;
  if (rate === undefined) return new RateLimit(clock);
  const count = Math.max(1, Math.floor(rate));
  return new RateLimit(clock, { count, perMs: (count * SECOND_MS) / rate });
}
