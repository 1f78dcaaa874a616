import { GENERATION_TYPES } from "../../contract/model.js";
import type { Provider } from "../../ports/provider.js";
import { HandOver, type HandOverOptions } from "./hand-over.js";
import { JobCompletion, type JobCompletionOptions } from "./job-completion.js";
import { JobOperations } from "./job-operations.js";
import { generatingJobs, jobById } from "./job-store.js";
import { emptyTally, type JobTally } from "./job-tally.js";
import { ProviderQueue, type ProviderQueueOptions } from "./provider-queue.js";
import { rulesOf } from "./provider-rules.js";
import type { ProviderEnds } from "./provider-tally.js";
import { UnservedJobs } from "./unserved-jobs.js";

export interface SchedulerOptions
  extends JobCompletionOptions,
    HandOverOptions,
    Omit<ProviderQueueOptions, "provider" | "rules" | "completion" | "handOver" | "onHandedOver"> {
  providers: readonly Provider[];
  timeoutMs: number;
}

/** Gives each job to the queue of its provider. The queues do not wait for each other. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #completion: JobCompletion;
  readonly #queues: ReadonlyMap<string, ProviderQueue>;
  readonly #unserved: UnservedJobs;
  readonly #handOver: HandOver;

  constructor(options: SchedulerOptions) {
    const { providers } = options;
    const completion = new JobCompletion(options);
    this.#options = options;
    this.#completion = completion;
    this.#handOver = new HandOver(options);
    const { timeoutMs } = options;
    const operations = new JobOperations(options);
    const queueOf = (provider: Provider) =>
      new ProviderQueue({
        ...options,
        provider,
        rules: rulesOf(provider, { operations, timeoutMs }),
        completion,
        handOver: this.#handOver,
        onHandedOver: (job) => this.#queues.get(job.provider)?.takeOver(job),
      });
    this.#queues = new Map(providers.map((provider) => [provider.name, queueOf(provider)]));
    this.#unserved = new UnservedJobs({ ...options, completion });
  }

  get counts(): { generating: JobTally; done: JobTally; failed: JobTally; refused: JobTally } {
    const generating = emptyTally();
    for (const queue of this.#queues.values()) {
      for (const type of GENERATION_TYPES) generating[type] += queue.generating[type];
    }
    return { generating, ...this.#completion.counts };
  }

  /** Returns how jobs ended, by provider. */
  get ends(): ReadonlyMap<string, ProviderEnds> {
    return this.#completion.ends;
  }

  start(): void {
    const interrupted = generatingJobs(this.#options.database);
    for (const [name, queue] of this.#queues)
      queue.start(interrupted.filter(({ provider }) => provider === name));
    this.#unserved.start(interrupted);
  }

  mayHandOver(jobId: number): boolean {
    const job = jobById(this.#options.database, jobId);
    return job !== undefined && this.#handOver.nextOf(job) !== undefined;
  }

  wake(): void {
    for (const queue of this.#queues.values()) queue.wake();
  }

  /** Resolves within about two seconds. Interrupted jobs resume at the next start. */
  async stop(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()).concat(this.#unserved.stop()));
  }
}
