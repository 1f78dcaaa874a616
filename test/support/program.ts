import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment } from "./child-environment.js";
import { eventually } from "./eventually.js";

const DIST = join(import.meta.dirname, "../../dist");
const run = promisify(execFile);

type Environment = Readonly<Record<string, string>>;

/** The program as an operator runs it: `dist/main.js`, with nothing of a test inside. */
export class Program {
  readonly #child: ChildProcess;
  readonly #url: string;

  constructor(environment: Environment & { HTTP_PORT: string }) {
    this.#url = `http://127.0.0.1:${environment.HTTP_PORT}`;
    this.#child = spawn(process.execPath, [join(DIST, "main.js")], {
      env: withPath({ LOG_LEVEL: "silent", ...environment }),
      stdio: ["ignore", "inherit", "inherit"],
    });
  }

  /** Waits until it says that it can work. */
  async ready(): Promise<void> {
    await eventually(`${this.#url} is ready`, () => {
      if (this.#child.exitCode !== null) throw new Error(`it ended with code ${this.#child.exitCode}`);
      return fetch(`${this.#url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

/** What the operator's command line answers with `--json`. */
export async function ctl(words: string, environment: Environment): Promise<Record<string, unknown>[]> {
  const parameters = [join(DIST, "ctl/main.js"), ...words.split(" "), "--json"];
  const { stdout } = await run(process.execPath, parameters, { env: withPath(environment) });
  return [JSON.parse(stdout)].flat() as Record<string, unknown>[];
}

function withPath(environment: Environment): Record<string, string> {
  return { ...childEnvironment(), ...environment };
}
