import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createSandbox, DEFAULT_PEOPLE, type Sandbox } from "@atelier/telegram-sandbox";
import { createYookassa, type YookassaStandIn } from "@atelier/upstream-stand-ins";
import { type WatchedService, withBotView } from "./bot-view.js";
import { RemoteDemo } from "./remote-demo.js";
import { ConfigError, createApp, readConfig } from "./service.js";
import { startServices } from "./upstream-demo.js";

/** Port of the chat page, when it is free. */
const PAGE_PORT = 8787;
/** What each person's purse begins with: enough for every pack of `/topup`. */
const STARS = 500;
const STOP_DEADLINE_MS = 9500;
/** Prices of the demo with services: none is below its cost. */
const OFFERS_FILE = fileURLToPath(new URL("../offers.json", import.meta.url));
/** Signals within this time count as one: npm forwards what its whole process group receives. */
const SAME_SIGNAL_MS = 1000;

interface Arguments {
  /** Folder that everything is kept in; undefined for a demo that leaves nothing. */
  keep: string | undefined;
  /** Bot and service as two processes. */
  remote: boolean;
  /** Files are made by stand-ins of the services that make real ones. */
  upstream: boolean;
}

interface Service {
  apiUrl: string;
  /** What a person may want to know, for the lines that the demo prints. */
  hint: string;
  /** Resolves with the reason when the service ends by itself. */
  failed?: Promise<string>;
  /** Absent where the service is another process. */
  upstreams?: () => readonly WatchedService[];
  start(): Promise<unknown>;
  stop(): Promise<void>;
}

// The demo's data is its owner's alone.
process.umask(0o077);

await demo(readArguments()).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});

/** The whole service with a sandbox in place of Telegram: fresh and gone when it ends, or kept in a directory. */
async function demo({ keep, remote, upstream }: Arguments): Promise<void> {
  const root = keep === undefined ? await mkdtemp(join(tmpdir(), "atelier-demo-")) : resolve(keep);
  const services = upstream ? await startServices(keep === undefined ? undefined : root) : undefined;
  // Where accounts are elsewhere nobody pays here.
  const shop = remote ? undefined : await createYookassa();
  let service: Service | undefined;
  const options = {
    token: newToken(),
    people: DEFAULT_PEOPLE.map((person) => ({ ...person, stars: STARS })),
    group: { title: "Studio", topics: ["Ideas", "Results"] },
    ...(keep === undefined ? {} : { directory: join(root, "sandbox") }),
    ...(services === undefined
      ? {}
      : { services: withBotView(services, () => service?.upstreams?.() ?? [], Date.now) }),
  };
  const sandbox = await createSandbox({ port: PAGE_PORT, ...options }).catch(() => createSandbox(options));
  let endingSince: number | undefined;

  async function end(code: number): Promise<void> {
    if (endingSince !== undefined) {
      if (performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    endingSince = performance.now();
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS);
    await service?.stop();
    await services?.close();
    await shop?.close();
    await sandbox.close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    if (keep === undefined) await rm(root, { recursive: true, force: true });
    process.exit(code);
  }

  function fail(reason: string): Promise<void> {
    process.stderr.write(`${reason}\n`);
    return end(1);
  }

  process.on("SIGINT", () => void end(0));
  process.on("SIGTERM", () => void end(0));
  try {
    // Prices of the catalogue are below the costs of some services at their real rates.
    const environment = { ...(services && { OFFERS_FILE }), ...process.env, ...services?.environment() };
    const surroundings = { sandbox, root, environment };
    service = await (shop ? wholeService(surroundings, shop) : remoteService(surroundings));
    await service.start();
    void service.failed?.then(fail);
    process.stdout.write(`\n  Open ${sandbox.url} and tap Start.\n`);
    process.stdout.write(`  The HTTP API is at ${service.apiUrl}; ${service.hint}\n`);
    if (shop)
      process.stdout.write(
        "  /topup sells for Stars, and by card on the page of a stand-in: no money moves.\n",
      );
    if (services)
      process.stdout.write("  The services are stand-ins: the panel Services of the page makes them fail.\n");
    process.stdout.write("  Ctrl+C ends it.\n");
    process.stdout.write(keep === undefined ? "\n" : `  Everything is kept in ${root}.\n\n`);
  } catch (error) {
    if (endingSince === undefined)
      await fail(error instanceof ConfigError ? error.problems.join("\n") : String(error));
  }
}

function adminsOf(): typeof DEFAULT_PEOPLE {
  return DEFAULT_PEOPLE.filter((person) => person.is_admin);
}

/** What the bot of either demo is started with, whatever `.env` says of a bot at Telegram. */
function botEnvironment(sandbox: Sandbox): Record<string, string> {
  return {
    ADMIN_IDS: idsOf(adminsOf()),
    ALLOWED_USERS: idsOf(DEFAULT_PEOPLE),
    BOT_TOKEN: sandbox.token,
    BOT_TOKEN_FILE: "",
    TELEGRAM_API_ROOT: sandbox.url,
    TELEGRAM_PROXY: "",
    TELEGRAM_PROXY_FILE: "",
  };
}

function idsOf(people: typeof DEFAULT_PEOPLE): string {
  return people.map(({ id }) => id).join();
}

/** Whom the bot names where a person needs somebody, and takes no messages to support itself. */
function supportContact(): Record<string, string> {
  const [admin] = adminsOf();
  return admin?.username ? { SUPPORT_CONTACT: `@${admin.username}` } : {};
}

interface Surroundings {
  sandbox: Sandbox;
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
}

async function wholeService(
  { sandbox, root, environment }: Surroundings,
  shop: YookassaStandIn,
): Promise<Service> {
  const { config, secrets } = readConfig({
    LOG_LEVEL: "warn",
    WELCOME_CREDIT_RUB: "300",
    TOPUP_STARS: "50:50,100:105,250:270",
    STARS_RATE_KOPECKS: "100",
    INVITE_RUB: "50:50",
    // Links and /keys name the address of the API, so its port has to be known before it listens.
    HTTP_PORT: String(await freePort()),
    ...environment,
    ...botEnvironment(sandbox),
    ...shop.environment(),
    YOOKASSA_SECRET_KEY_FILE: "",
    DATA_DIR: join(root, "service"),
  });
  const app = createApp(config, secrets, { endProcess: () => process.exit(1) });
  return {
    apiUrl: `${config.publicUrl}/v1`,
    hint: "/keys in the chat makes a key.",
    upstreams: () => app.upstreams(),
    start: () => app.start(),
    stop: () => app.stop(),
  };
}

async function remoteService({ sandbox, root, environment }: Surroundings): Promise<Service> {
  const entryAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const demo = new RemoteDemo({
    node: process.execPath,
    entries: { main: entryAt("../../../dist/main.js"), ctl: entryAt("../../../dist/ctl/main.js") },
    root,
    environment: { ...supportContact(), ...environment },
    bot: botEnvironment(sandbox),
    ports: { service: await freePort(), bot: await freePort() },
  });
  return Object.assign(demo, { hint: "the bot is another process, and everybody shares its account." });
}

function readArguments(): Arguments {
  try {
    const flag = { type: "boolean", default: false } as const;
    const options = { keep: { type: "string" }, remote: flag, upstream: flag } as const;
    const { keep, remote, upstream } = parseArgs({ options }).values;
    return { keep, remote, upstream };
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nusage: demo [--remote] [--upstream] [--keep DIR]\n`,
    );
    process.exit(1);
  }
}

/** A bot's token that no other page or program on this machine can know. */
function newToken(): string {
  return `123456789:${randomBytes(26).toString("base64url")}`;
}

/** A port of the loopback that nothing listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
