import { setMaxListeners } from "node:events";
import { isDiskFault } from "../../../database/errors.js";
import type { Transaction } from "../../../database/transaction.js";
import type { ServiceSettings } from "../../../mapping/service-settings.js";
import { sleep } from "../../../platform/clock.js";
import type { Ids } from "../../../platform/ids.js";
import { integer } from "../../../platform/integer.js";
import { RateLimit } from "../../../platform/rate-limit.js";
import { untilDone } from "../../../platform/retry.js";
import { SECOND_MS } from "../../../platform/units.js";
import type { ProviderHost } from "../../../ports/provider.js";
import type { Attempt } from "./attempt.js";
import { RESTORED } from "./attempt-planner.js";
import { ServiceCallbacks } from "./callbacks.js";
import { LateCollector } from "./late-collector.js";
import { LookUps } from "./look-ups.js";
import { OutputCollector, type TaskOutputs } from "./output-collector.js";
import { PollPlan } from "./poll-plan.js";
import { readKeptAnswer, recoverAnswer } from "./recover-answers.js";
import { recoverReferences } from "./recover-references.js";
import type { Run } from "./run.js";
import { Runs } from "./run.js";
import type { ServiceContext } from "./service-context.js";
import { Submitter } from "./submitter.js";
import { TaskDeadlines } from "./task-deadlines.js";
import { TaskPoller } from "./task-poller.js";

export interface ServiceDriverOptions extends Omit<ServiceContext, "closing" | "callbacks" | "polls"> {
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
export class ServiceDriver {
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
