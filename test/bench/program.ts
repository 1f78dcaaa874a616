import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.js";
import { TOKEN } from "./crowd.js";

/** Everything stands where `npm run build` and `npm run build:test` have put it. */
const PROGRAMS = {
  service: "../../../dist/main.js",
  /** The same service with each source as a file of its own. */
  serviceInFiles: "../../src/main.js",
  serviceWithStub: "programs/service-with-stub.js",
  bareHttp: "programs/bare-http.js",
  bareLedger: "programs/bare-ledger.js",
} as const;
export type Program = keyof typeof PROGRAMS;

/** What must not stay behind, whatever breaks: programs that run, and their directories. */
const children = new Set<ChildProcess>();
const directories = new Set<string>();

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

/** Those that are the service, whole. */
const SERVICES: ReadonlySet<Program> = new Set(["service", "serviceInFiles", "serviceWithStub"]);

/** The service runs as in the image: with the options of node, and the setting of the C library, that it has there. */
function imageSettings() {
  const dockerfile = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8");
  const [, command = "[]"] = /^CMD (.+)$/m.exec(dockerfile) ?? [];
  const [, arenas] = /^ENV MALLOC_ARENA_MAX=(\d+)$/m.exec(dockerfile) ?? [];
  return {
    nodeOptions: (JSON.parse(command) as string[]).filter((word) => word.startsWith("--")),
    environment: { MALLOC_ARENA_MAX: arenas },
  };
}

export interface RunningProgram {
  pid: number;
  /** Where it listens for HTTP, when it does. */
  port: number;
  /** When its process was asked for, in ms of `performance.now()`. */
  spawnedAt: number;
  child: ChildProcess;
  /** Ends it as an operator would, and waits for its end. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** The address of a Bot API server; without it there is no bot. */
  apiRoot?: string;
  dataDir?: string;
  nodeArguments?: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** Starts a program in a process of its own. */
export async function startProgram(program: Program, options: StartOptions): Promise<RunningProgram> {
  const { apiRoot, dataDir = "", nodeArguments = [], environment = {} } = options;
  const file = fileURLToPath(new URL(PROGRAMS[program], import.meta.url));
  const port = environment.HTTP_PORT === undefined ? await freePort() : Number(environment.HTTP_PORT);
  const image = SERVICES.has(program) ? imageSettings() : undefined;
  const env = {
    PATH: process.env.PATH,
    ...(apiRoot === undefined ? {} : { BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: apiRoot }),
    DATA_DIR: dataDir,
    HTTP_PORT: String(port),
    WELCOME_CREDIT_RUB: "100000",
    WELCOME_GUARD: "false",
    LOG_LEVEL: "warn",
    ...image?.environment,
    ...environment,
  };
  const nodeOptions = [...(image?.nodeOptions ?? []), ...nodeArguments];
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, file], {
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.add(child);
  const ended = once(child, "exit").finally(() => children.delete(child));
  await once(child, "spawn");
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} has no process`);
  return {
    pid,
    port,
    spawnedAt,
    child,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resolves once a service answers. */
export async function isUp({ port }: Pick<RunningProgram, "port">): Promise<void> {
  const asks = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await asks())) await pause(50);
}

/** Gives `use` an empty directory that is removed afterwards. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "atelier-bench-"));
  directories.add(directory);
  try {
    return await use(directory);
  } finally {
    directories.delete(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}
