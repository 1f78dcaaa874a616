import type { CancelTimer, Clock } from "../platform/clock.js";
import { FairSlots } from "../platform/fair-slots.js";
import type { GeneratedFile } from "../ports/provider.js";
import { GenerationError } from "./generation-error.js";
import { WorkerKilledError, WorkerProcess } from "./worker-process.js";

export interface WorkerPoolOptions {
  clock: Clock;
  /** Limits tasks at once, each in a process of its own. Further ones wait. */
  concurrency: number;
  /** Limits the seconds of one task, counted from its start in a process. */
  timeoutSec: number;
  /** Limits the resident memory of one process, in bytes; 1.5 GB by default. */
  memoryLimitBytes?: number | undefined;
  workerFile: string;
}

const MEMORY_LIMIT_BYTES = 1.5 * 1024 ** 3;
/** Limits the tasks of a process, and the memory that it may keep after one. */
const TASKS_PER_PROCESS_MAX = 100;
const KEPT_MEMORY_BYTES_MAX = 400 * 1024 ** 2;
/** Time after which a process without work ends, so that an idle service needs no memory for it. */
const IDLE_MS = 60_000;

interface IdleProcess {
  worker: WorkerProcess;
  cancelEnd: CancelTimer;
}

/** Runs tasks in child processes, one at a time in each, which are killed at a limit and ended when idle. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #slots: FairSlots;
  readonly #idle: IdleProcess[] = [];
  readonly #busy = new Set<WorkerProcess>();
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#slots = new FairSlots(options.concurrency);
  }

  /** Runs a task, and again where its process was ended from outside. Accounts take turns. Throws GenerationError. */
  async run(task: object, signal: AbortSignal, account = 0): Promise<readonly GeneratedFile[]> {
    const release = await this.#takeSlot(account, signal);
    try {
      return await this.#runOnce(task, signal).catch((error: unknown) => {
        if (!(error instanceof WorkerKilledError)) throw error;
        return this.#runOnce(task, signal);
      });
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { worker, cancelEnd } of this.#idle.splice(0)) {
      cancelEnd();
      this.#end(worker);
    }
    for (const worker of this.#busy) this.#end(worker);
    await Promise.all(this.#leaving);
  }

  async #takeSlot(account: number, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#slots.acquire(account, signal);
    } catch (cause) {
      throw new GenerationError("provider", "the task was aborted", { cause });
    }
  }

  async #runOnce(task: object, signal: AbortSignal): Promise<readonly GeneratedFile[]> {
    const { timeoutSec, memoryLimitBytes = MEMORY_LIMIT_BYTES } = this.#options;
    if (this.#isClosed) throw new GenerationError("provider", "the worker was closed");
    const worker = this.#takeProcess();
    this.#busy.add(worker);
    let isDecoding = false;
    try {
      const limits = { timeoutMs: timeoutSec * 1000, memoryBytes: memoryLimitBytes };
      return await worker.run(task, limits, signal);
    } catch (error) {
      isDecoding = error instanceof GenerationError && error.failure === "reference";
      throw error;
    } finally {
      this.#busy.delete(worker);
      if (isDecoding) this.#end(worker);
      else this.#giveBack(worker);
    }
  }

  #takeProcess(): WorkerProcess {
    for (let found = this.#idle.pop(); found; found = this.#idle.pop()) {
      found.cancelEnd();
      if (found.worker.isAlive) return found.worker;
    }
    return new WorkerProcess(this.#options.workerFile, this.#options.clock);
  }

  #end(worker: WorkerProcess): void {
    const ending = worker.end();
    this.#leaving.add(ending);
    void ending.finally(() => this.#leaving.delete(ending));
  }

  #giveBack(worker: WorkerProcess): void {
    const { tasksDone, memoryBytes } = worker;
    const isWorn =
      tasksDone >= TASKS_PER_PROCESS_MAX || memoryBytes > KEPT_MEMORY_BYTES_MAX || this.#isClosed;
    if (isWorn || !worker.isAlive) {
      this.#end(worker);
      return;
    }
    const entry: IdleProcess = {
      worker,
      cancelEnd: this.#options.clock.after(IDLE_MS, () => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        this.#end(worker);
      }),
    };
    this.#idle.push(entry);
  }
}
