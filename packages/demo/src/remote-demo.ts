import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeKeyOfAccount } from "./demo-account.js";
import { DemoProcess } from "./demo-process.js";

const RUBLES = 1000;
const READY_MS_MAX = 60_000;
const READY_PAUSE_MS = 100;

export interface RemoteDemoOptions {
  /** The executable of Node. */
  node: string;
  /** The compiled entries. */
  entries: { main: string; ctl: string };
  /** Folder for the data of both processes. */
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Variables of the bot: token, people and the address of the Bot API server. */
  bot: Readonly<Record<string, string>>;
  ports: { service: number; bot: number };
}

/** The service and its bot as two processes: one account with money, spent through the API. */
export class RemoteDemo {
  readonly apiUrl: string;
  /** Resolves with a sentence when one of the processes ends by itself. */
  readonly failed: Promise<string>;
  readonly #processes: DemoProcess[] = [];
  readonly #stopping = new AbortController();
  #fail: (reason: string) => void = () => {};

  constructor(private readonly options: RemoteDemoOptions) {
    this.apiUrl = `http://127.0.0.1:${options.ports.service}/v1`;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Resolves when the bot works. Throws when a process ends before that, or `stop` was called. */
  async start(): Promise<void> {
    const { root, environment, entries, node, bot, ports } = this.options;
    const ofService = {
      // It warns of having no bot.
      LOG_LEVEL: "error",
      ...environment,
      CORE: "embedded",
      BOT_TOKEN: "",
      BOT_TOKEN_FILE: "",
      HTTP_PORT: `${ports.service}`,
      PUBLIC_URL: "",
      DATA_DIR: join(root, "core"),
    };
    const keyFile = join(root, "core-api.key");
    await writeKeyOfAccount({ node, file: entries.ctl, environment: ofService }, keyFile, RUBLES);
    await this.#run("the service", ofService, `http://127.0.0.1:${ports.service}/healthz`);
    const ofBot = {
      LOG_LEVEL: "warn",
      POLL_INTERVAL_MS: "500",
      ...environment,
      ...bot,
      CORE: "api",
      CORE_URL: this.apiUrl,
      CORE_API_KEY: "",
      CORE_API_KEY_FILE: keyFile,
      HTTP_PORT: `${ports.bot}`,
      PUBLIC_URL: "",
      DATA_DIR: join(root, "bot"),
    };
    await this.#run("the bot", ofBot, `http://127.0.0.1:${ports.bot}/readyz`);
  }

  /** Ends both processes, within 9 s. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#processes.map((one) => one.stop()));
  }

  async #run(name: string, environment: Record<string, string | undefined>, readyUrl: string): Promise<void> {
    const { node, entries } = this.options;
    this.#stopping.signal.throwIfAborted();
    const started = new DemoProcess({ node, file: entries.main, environment });
    this.#processes.push(started);
    const fault = started.ended.then((how) => Promise.reject(new Error(`${name} has ended (${how})`)));
    fault.catch((error: Error) => {
      if (!this.#stopping.signal.aborted) this.#fail(error.message);
    });
    const waiting = new AbortController();
    const signals = [this.#stopping.signal, waiting.signal, AbortSignal.timeout(READY_MS_MAX)];
    await Promise.race([fault, untilAnswered(readyUrl, AbortSignal.any(signals))]).finally(() =>
      waiting.abort(),
    );
  }
}

/** Resolves when the address answers with 2xx. Rejects when `signal` aborts. */
async function untilAnswered(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isReady = await fetch(url, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(READY_PAUSE_MS, undefined, { signal });
  }
}
