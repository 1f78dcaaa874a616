import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createApp } from "../app.js";
import { ConfigError, readConfig } from "../config.js";
import { createSandbox, DEFAULT_PEOPLE } from "./index.js";

/** Where the chat page is when the port is free. */
const PAGE_PORT = 8787;
const STOP_DEADLINE_MS = 9500;

// The demo's data is its owner's alone.
process.umask(0o077);

await demo(readArguments());

/** The whole service with a sandbox in place of Telegram: fresh and gone when it ends, or kept in a directory. */
async function demo(keep: string | undefined): Promise<void> {
  const root = keep === undefined ? await mkdtemp(join(tmpdir(), "atelier-demo-")) : resolve(keep);
  const options = {
    token: newToken(),
    group: { title: "Studio", topics: ["Ideas", "Results"] },
    ...(keep === undefined ? {} : { directory: join(root, "sandbox") }),
  };
  const sandbox = await createSandbox({ port: PAGE_PORT, ...options }).catch(() => createSandbox(options));
  const admins = DEFAULT_PEOPLE.filter((person) => person.is_admin);
  try {
    const { config, secrets } = readConfig({
      LOG_LEVEL: "warn",
      WELCOME_CREDIT_RUB: "300",
      SUPPORT_CONTACT: admins[0]?.username ? `@${admins[0].username}` : undefined,
      // Links and /keys name the address of the API, so its port has to be known before it listens.
      HTTP_PORT: String(await freePort()),
      ...process.env,
      ADMIN_IDS: admins.map(({ id }) => id).join(),
      BOT_TOKEN: sandbox.token,
      TELEGRAM_API_ROOT: sandbox.url,
      DATA_DIR: join(root, "service"),
    });
    const app = createApp(config, secrets, { endProcess: () => process.exit(1) });
    await app.start();
    const end = async () => {
      setTimeout(() => process.exit(1), STOP_DEADLINE_MS);
      await app.stop();
      await sandbox.close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      if (keep === undefined) await rm(root, { recursive: true, force: true });
      process.exit(0);
    };
    process.once("SIGINT", () => void end());
    process.once("SIGTERM", () => void end());
    process.stdout.write(`\n  Open ${sandbox.url} and tap Start.\n`);
    process.stdout.write(
      `  The HTTP API is at ${config.publicUrl}/v1; /keys in the chat makes a key.\n  Ctrl+C ends it.\n`,
    );
    process.stdout.write(keep === undefined ? "\n" : `  Everything is kept in ${root}.\n\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.problems.join("\n") : String(error)}\n`);
    process.exit(1);
  }
}

/** The directory of `--keep DIR`. */
function readArguments(): string | undefined {
  try {
    return parseArgs({ options: { keep: { type: "string" } } }).values.keep;
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nusage: demo [--keep DIR]\n`,
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
