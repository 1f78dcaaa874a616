import { type ChildProcess, fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { z } from "zod";
import { FAILURES, type Failure } from "../contract/job.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { FairSlots } from "../platform/slots.js";
import { GenerationError, SENTENCES } from "./generation-error.js";

const generatedFile = z.object({
  path: z.string(),
  mime: z.string(),
  width: z.number().exactOptional(),
  height: z.number().exactOptional(),
  durationSec: z.number().exactOptional(),
  title: z.string().exactOptional(),
  /** Why the file could not be judged, or is of another kind: it goes out as it is. For the log. */
  unjudged: z.string().exactOptional(),
  /** File of the service, byte for byte, where `path` was converted from it. */
  original: z.object({ path: z.string(), mime: z.string() }).exactOptional(),
});
/** A file inside the task's directory. Among tracks, or beside a video, an image is the cover of the preceding file. */
export type GeneratedFile = z.infer<typeof generatedFile>;

const replyMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), files: z.array(generatedFile) }),
  z.object({ kind: z.literal("failed"), failure: z.enum(FAILURES), message: z.string() }),
  /** Tells, now and then, the resident memory of a process that the service cannot see. */
  z.object({ kind: z.literal("memory"), bytes: z.number() }),
]);
export type Reply = z.infer<typeof replyMessage>;

/** Builds the failure of a task. @param detail for the log: it may name files and lines of this program */
function taskFailure(failure: Failure, detail: string): GenerationError {
  const sentences: Partial<Record<Failure, string>> = SENTENCES;
  return new GenerationError(failure, sentences[failure] ?? detail, { cause: new Error(detail) });
}

interface Limits {
  timeoutMs: number;
  memoryBytes: number;
}

const MEMORY_POLL_MS = 100;
/** Limits what is kept for the log of what a dying process wrote. */
const COMPLAINT_CHARACTERS_MAX = 400;

/** Score by which the system ends a worker before the service when memory runs out; 1000 is the largest. */
const OOM_SCORE_ABOVE_SERVICE = 500;
const OOM_SCORE_MAX = 1000;

/** Reports a worker that was ended by something else than the service, such as the system when memory ran out. */
class WorkerKilledError extends GenerationError {}

interface Running {
  resolve(files: readonly GeneratedFile[]): void;
  reject(error: GenerationError): void;
}

/** Runs one task at a time in a child process without the service's environment. It ends with its channel. */
class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #isAlive = true;
  #running: Running | undefined;
  #verdict: GenerationError | undefined;
  #complaint = "";
  #memoryBytes = 0;
  tasksDone = 0;

  constructor(
    workerFile: string,
    private readonly clock: Clock,
  ) {
    this.#child = fork(workerFile, [], {
      env: { UV_THREADPOOL_SIZE: "1" },
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    lowerPriority(this.#child.pid);
    raiseOomScore(this.#child.pid);
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-COMPLAINT_CHARACTERS_MAX);
    });
    this.#child.on("message", (message) => this.#receive(replyMessage.safeParse(message).data));
    this.#ended = new Promise((resolve) => {
      const end = (failure: GenerationError): void => {
        this.#isAlive = false;
        this.#settle(this.#verdict ?? failure);
        resolve();
      };
      this.#child.once("error", (error) => end(taskFailure("provider", ended(error.message))));
      this.#child.once("close", (code, signal) => {
        const failure = taskFailure("provider", ended(`${signal ?? code} ${this.#complaint}`.trim()));
        end(signal === "SIGKILL" ? killed(failure) : failure);
      });
    });
    this.idle();
  }

  get isAlive(): boolean {
    return this.#isAlive && !this.#verdict;
  }

  /** The process's resident memory as last seen, in bytes. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Lets the service end although this process waits for work. */
  idle(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /**
   * Runs one task. After a failure by a limit or by `signal` the process is dead when this rejects: nothing writes into
   * the task's directory. @throws GenerationError; WorkerKilledError when something else ended the process
   */
  async run(task: object, limits: Limits, signal: AbortSignal): Promise<readonly GeneratedFile[]> {
    const abort = (): void => this.#kill("provider", "the task was aborted");
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const cancelDeadline = this.clock.after(limits.timeoutMs, () =>
      this.#kill("timeout", `no result in ${limits.timeoutMs / 1000} s`),
    );
    const cancelWatch = this.#watchMemory(limits.memoryBytes);
    this.#child.ref();
    this.#child.channel?.ref();
    try {
      return await new Promise<readonly GeneratedFile[]>((resolve, reject) => {
        if (!this.#isAlive) return reject(killed(taskFailure("provider", "the worker has ended")));
        this.#running = { resolve, reject };
        this.#child.send({ ...task }, (error) => {
          if (!error) return;
          this.#verdict ??= killed(taskFailure("provider", "the worker cannot be reached"));
          this.#child.kill("SIGKILL");
        });
      });
    } finally {
      signal.removeEventListener("abort", abort);
      cancelDeadline();
      cancelWatch();
      this.tasksDone++;
      this.idle();
    }
  }

  /** Kills the process and waits until it is gone. A task that runs fails with `provider`. */
  async end(): Promise<void> {
    this.#kill("provider", "the worker was closed");
    this.#child.ref();
    await this.#ended;
  }

  #kill(failure: Failure, message: string): void {
    this.#verdict ??= taskFailure(failure, message);
    this.#child.kill("SIGKILL");
  }

  #receive(reply: Reply | undefined): void {
    if (this.#verdict) return;
    if (!reply) this.#kill("provider", "the worker answered with something else");
    else if (reply.kind === "memory") this.#memoryBytes = reply.bytes;
    else if (reply.kind === "done") this.#settle(reply.files);
    else this.#settle(taskFailure(reply.failure, reply.message));
  }

  #settle(result: readonly GeneratedFile[] | GenerationError): void {
    const running = this.#running;
    this.#running = undefined;
    if (result instanceof GenerationError) running?.reject(result);
    else running?.resolve(result);
  }

  /** Watches the memory while a task runs; the process itself may be too busy to tell. */
  #watchMemory(limitBytes: number): CancelTimer {
    let isWatching = true;
    let cancel: CancelTimer = () => {};
    const poll = async (): Promise<void> => {
      const seen = await residentBytes(this.#child.pid);
      if (seen !== undefined) this.#memoryBytes = seen;
      if (!isWatching) return;
      if (this.#memoryBytes > limitBytes) this.#kill("memory", `more than ${limitBytes} bytes of memory`);
      else cancel = this.clock.after(MEMORY_POLL_MS, () => void poll());
    };
    void poll();
    return () => {
      isWatching = false;
      cancel();
    };
  }
}

/**
 * Runs a program once in a child process without the service's environment. One that is to end with the service listens
 * to `disconnect`.
 * @param task what it is given, as JSON in its argument
 * @returns what it wrote to its standard output. Rejects where it ended otherwise than with 0, or had to be killed
 */
export function runProgram(
  file: string,
  task: object,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = fork(file, [JSON.stringify(task)], {
      env: {},
      execArgv: [],
      stdio: ["ignore", "pipe", "ignore", "ipc"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      ...(signal && { signal }),
    });
    lowerPriority(child.pid);
    const chunks: Buffer[] = [];
    let fault: Error | undefined;
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", (error) => {
      fault = error;
    });
    child.once("close", (code, by) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`its process ended: ${by ?? fault?.message ?? code}`));
    });
  });
}

/** Lowers the priority, before the process starts threads, which inherit it: the service's event loop runs first. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process is gone already, or the system does not allow it.
  }
}

/** Makes the system end a worker before the service when memory runs out. Without effect where there is no /proc. */
function raiseOomScore(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    const own = Number(readFileSync("/proc/self/oom_score_adj", "utf8"));
    const score = Math.min(OOM_SCORE_MAX, own + OOM_SCORE_ABOVE_SERVICE);
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score));
  } catch {
    // The process is gone already, or the system has no such score.
  }
}

function ended(how: string): string {
  return `the worker ended: ${how}`;
}

function killed({ failure, message, cause }: GenerationError): WorkerKilledError {
  return new WorkerKilledError(failure, message, { cause });
}

/** Reads the resident memory of a process on Linux; undefined elsewhere or when the process is gone. */
async function residentBytes(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

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
  readonly #slots: FairSlots;
  readonly #idle: IdleProcess[] = [];
  readonly #busy = new Set<WorkerProcess>();
  readonly #leaving = new Set<Promise<void>>();
  #isClosed = false;

  constructor(private readonly options: WorkerPoolOptions) {
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
    const { timeoutSec, memoryLimitBytes = MEMORY_LIMIT_BYTES } = this.options;
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
    return new WorkerProcess(this.options.workerFile, this.options.clock);
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
      cancelEnd: this.options.clock.after(IDLE_MS, () => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        this.#end(worker);
      }),
    };
    this.#idle.push(entry);
  }
}
