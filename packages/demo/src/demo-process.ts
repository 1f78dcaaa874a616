import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Limits the stop, which has 10 s for the whole demo. */
const STOP_MS_MAX = 8500;
/** A child must not outlive its parent, not even one that was killed: it would hold its data directory. */
const END_WITH_PARENT = 'process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));';

export interface ProcessOptions {
  /** The executable of Node. */
  node: string;
  /** The compiled entry. */
  file: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** One process of a demo. Its output goes where the demo's own goes. */
export class DemoProcess {
  /** Resolves with a description such as `exit code 1`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  constructor({ node, file, environment }: ProcessOptions) {
    const preload = `data:text/javascript,${encodeURIComponent(END_WITH_PARENT)}`;
    this.#child = spawn(node, ["--import", preload, file], {
      env: environment,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // In a process group of its own: only the demo passes Ctrl+C on, once.
      detached: true,
    });
    this.ended = once(this.#child, "exit").then(
      ([code, signal]) => (signal === null ? `exit code ${code}` : String(signal)),
      String,
    );
  }

  async stop(): Promise<void> {
    const killing = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS_MAX);
    this.#child.kill("SIGTERM");
    await this.ended.finally(() => clearTimeout(killing));
  }
}
