import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { childEnvironment } from "./child-environment.js";

/** The options of Node in the image, so that memory is what an operator sees. */
const IMAGE_OPTIONS = ["--max-old-space-size=512", "--max-semi-space-size=8"];
const ENTRY = join(import.meta.dirname, "../../build/bundle/test-program.js");
const ROOT = join(import.meta.dirname, "../..");

interface Report {
  /** The address of its HTTP server. */
  ready?: string;
  armed?: true;
  /** What is in use after garbage was collected. */
  usedBytes?: number;
  longestHoldMs?: number;
  failPoint?: string;
}

/** The service as a child process, which can be told to die at a fail point. */
export class ChildService {
  readonly #child: ChildProcess;
  readonly #waiting: ((report: Report) => void)[] = [];
  /** The fail points passed since `arm`. */
  readonly failPoints: string[] = [];
  /** Resolves with the signal that ended the process, or null. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** Resolves with the code that the process ended with, or null. */
  readonly exitCode: Promise<number | null>;

  constructor(environment: Record<string, string>) {
    this.#child = fork(ENTRY, {
      cwd: ROOT,
      execArgv: IMAGE_OPTIONS,
      env: { ...childEnvironment(), LOG_LEVEL: "silent", ...environment },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.ended = new Promise((resolve) => this.#child.once("exit", (_code, signal) => resolve(signal)));
    this.exitCode = new Promise((resolve) => this.#child.once("exit", (code) => resolve(code)));
    this.#child.on("message", (report: Report) => {
      if (report.failPoint !== undefined) this.failPoints.push(report.failPoint);
      for (const look of [...this.#waiting]) look(report);
    });
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("the service did not start");
    return pid;
  }

  /** Waits until it serves; answers with the address of its HTTP server. */
  async ready(): Promise<string> {
    const { ready = "" } = await this.#report(({ ready }) => ready !== undefined, "the start");
    return ready;
  }

  /**
   * Kills the process with SIGKILL at its `killAt`-th fail point from the next update on, or from the first one whose
   * name contains `from`; 0 only reports them.
   */
  async arm(killAt: number, from?: string): Promise<void> {
    const armed = this.#report((report) => report.armed === true, "arming");
    this.failPoints.length = 0;
    this.#child.send({ arm: killAt, from });
    await armed;
  }

  /** Kills the process with SIGKILL at the first fail point from now on whose name contains all of these. */
  async killAt(...parts: string[]): Promise<void> {
    const armed = this.#report((report) => report.armed === true, "arming");
    this.#child.send({ killAt: parts });
    await armed;
  }

  /** Frees the memory that nothing uses any more. Resolves with what is in use, in MB: V8's, and what it knows of. */
  async collectGarbage(): Promise<number> {
    const collected = this.#report(({ usedBytes }) => usedBytes !== undefined, "collecting");
    this.#child.send({ collect: true });
    const { usedBytes = 0 } = await collected;
    return usedBytes / 1024 ** 2;
  }

  /** Resolves with the longest hold of the event loop since the last call, in ms of the processor's time. */
  async longestHoldMs(): Promise<number> {
    const told = this.#report(({ longestHoldMs }) => longestHoldMs !== undefined, "the watch");
    this.#child.send({ watch: true });
    return (await told).longestHoldMs ?? 0;
  }

  /** Waits until a fail point whose name holds `part` has been passed since `arm`. */
  async passed(part: string): Promise<void> {
    if (this.failPoints.some((name) => name.includes(part))) return;
    await this.#report(({ failPoint }) => failPoint?.includes(part) === true, part);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  #report(isIt: (report: Report) => boolean, what: string): Promise<Report> {
    return new Promise((resolve, reject) => {
      const end = () => this.#waiting.splice(this.#waiting.indexOf(look), 1);
      const look = (report: Report) => {
        if (!isIt(report)) return;
        end();
        resolve(report);
      };
      this.#waiting.push(look);
      void this.ended.then((signal) => reject(new Error(`the service ended before ${what}: ${signal}`)));
    });
  }
}
