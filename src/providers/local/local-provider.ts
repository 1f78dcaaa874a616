import { fileURLToPath } from "node:url";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import { type Slot, Slots } from "../../platform/slots.js";
import type { GenerationTask, Provider } from "../../ports/provider.js";
import { failedOutcome, GenerationError } from "./generation-error.js";
import { RendererKilledError, RendererProcess } from "./renderer-process.js";

export interface LocalProviderOptions {
  clock: Clock;
  /** Tasks at once, each in a process of its own. Further ones wait. */
  concurrency: number;
  /** Seconds that one task may take, counted from its start in a process. */
  timeoutSec: number;
  /** Resident memory that one process may take, in bytes; 1.5 GB by default. */
  memoryLimitBytes?: number;
  /** The program of the child processes; by default the compiled worker.ts beside this file. */
  workerFile?: string;
}

const MEMORY_LIMIT_BYTES = 1.5 * 1024 ** 3;
/** A process is replaced after this many tasks, or when it keeps this much memory after one. */
const TASKS_PER_PROCESS_MAX = 100;
const KEPT_MEMORY_BYTES_MAX = 400 * 1024 ** 2;
/** A process without work ends after this time, so that an idle service needs no memory for it. */
const IDLE_MS = 60_000;

interface IdleProcess {
  renderer: RendererProcess;
  cancelEnd: CancelTimer;
}

/**
 * Makes pictures, videos and songs on this machine: stand-ins for the models', labelled as such. Each task runs
 * in a child process of lower priority, which is killed at the time or memory limit; processes are started when
 * first needed, kept warm between tasks and ended when idle.
 */
export function createLocalProvider(options: LocalProviderOptions): Provider {
  const { clock, concurrency } = options;
  const workerFile = options.workerFile ?? fileURLToPath(new URL("./worker.js", import.meta.url));
  const limits = {
    timeoutMs: options.timeoutSec * 1000,
    memoryBytes: options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES,
  };
  const idle: IdleProcess[] = [];
  const busy = new Set<RendererProcess>();
  const leaving = new Set<Promise<void>>();
  const slots = new Slots(clock, { size: concurrency });
  let isClosed = false;

  async function takeSlot(signal: AbortSignal): Promise<Slot> {
    try {
      return await slots.acquire(signal);
    } catch (cause) {
      throw new GenerationError("provider", "the task was aborted", { cause });
    }
  }

  function takeProcess(): RendererProcess {
    for (let found = idle.pop(); found; found = idle.pop()) {
      found.cancelEnd();
      if (found.renderer.isAlive) return found.renderer;
    }
    return new RendererProcess(workerFile, clock);
  }

  function end(renderer: RendererProcess): void {
    const ending = renderer.end();
    leaving.add(ending);
    void ending.finally(() => leaving.delete(ending));
  }

  function giveBack(renderer: RendererProcess): void {
    const isWorn =
      renderer.tasksDone >= TASKS_PER_PROCESS_MAX || renderer.memoryBytes > KEPT_MEMORY_BYTES_MAX || isClosed;
    if (isWorn || !renderer.isAlive) {
      end(renderer);
      return;
    }
    const entry: IdleProcess = {
      renderer,
      cancelEnd: clock.after(IDLE_MS, () => {
        idle.splice(idle.indexOf(entry), 1);
        end(renderer);
      }),
    };
    idle.push(entry);
  }

  /** @throws RendererKilledError when the task may be tried again in another process */
  async function renderOnce(task: GenerationTask, signal: AbortSignal) {
    // A task that waited for its slot gets one when `close` has ended the others.
    if (isClosed) throw new GenerationError("provider", "the renderer was closed");
    const renderer = takeProcess();
    busy.add(renderer);
    let isDecoding = false;
    try {
      return await renderer.run(task, limits, signal);
    } catch (error) {
      isDecoding = error instanceof GenerationError && error.failure === "reference";
      throw error;
    } finally {
      busy.delete(renderer);
      // A picture that was refused may still be decoded in the background: that ends with its process.
      if (isDecoding) end(renderer);
      else giveBack(renderer);
    }
  }

  async function generate(task: GenerationTask, signal: AbortSignal) {
    const slot = await takeSlot(signal);
    try {
      return await renderOnce(task, signal).catch((error: unknown) => {
        if (!(error instanceof RendererKilledError)) throw error;
        return renderOnce(task, signal);
      });
    } finally {
      slot.release();
    }
  }

  return {
    name: "local",
    kind: "renderer",
    concurrency,
    isPreview: true,
    run: (task, signal) => generate(task, signal).then((files) => ({ files }), failedOutcome),
    async close() {
      isClosed = true;
      for (const { renderer, cancelEnd } of idle.splice(0)) {
        cancelEnd();
        end(renderer);
      }
      for (const renderer of busy) end(renderer);
      await Promise.all(leaving);
    },
  };
}
