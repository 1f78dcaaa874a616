import { join } from "node:path";
import { createSandbox, type Sandbox } from "@atelier/telegram-sandbox";
import { onTestFinished } from "vitest";
import { type App, createApp, type Overrides } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { FetchError } from "../../src/platform/guarded-fetch.js";
import { openDatabase } from "../../src/restore-data.js";
import { accountOf } from "./accounts.js";
import { withTables } from "./empty-database.js";
import { recordingLogger } from "./log.js";
import { newFolder } from "./new-folder.js";
import { makeResults } from "./results.js";
import { createStubProvider } from "./stub-provider.js";

export const TOKEN = "123456:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
export const ANN = { id: 101, first_name: "Ann", username: "ann", language_code: "en" };
export const BORIS = { id: 102, first_name: "Борис", username: "boris", language_code: "ru" };
export const ADMIN = { id: 103, first_name: "Vera", username: "vera", language_code: "en", is_admin: true };

/** The whole service in this process, talking over real HTTP to a sandbox of its own. */
export type TestService = Awaited<ReturnType<typeof openTestService>>;

export interface TestServiceOptions {
  environment?: Record<string, string>;
  overrides?: Overrides;
  sandbox?: Sandbox;
}

/** A sandbox with two users and an admin. */
export function openSandbox(): Promise<Sandbox> {
  return createSandbox({ token: TOKEN, people: [ANN, BORIS, ADMIN], group: { title: "Studio" } });
}

/** The same, closed with its test, which fails on any breach of the Bot API's schema. */
export async function startSandbox(): Promise<Sandbox> {
  const sandbox = await openSandbox();
  onTestFinished(async () => {
    await sandbox.close();
    sandbox.assertNoBreaches();
  });
  return sandbox;
}

/** A service that closes with its test. */
export async function startTestService(options?: TestServiceOptions): Promise<TestService> {
  const service = await openTestService(options);
  onTestFinished(() => service.close());
  return service;
}

export async function openTestService(options: TestServiceOptions = {}) {
  const sandbox = options.sandbox ?? (await openSandbox());
  const directory = newFolder();
  const provider = Object.assign(createStubProvider(), { make: makeResults });
  const { logger, lines } = recordingLogger("debug");
  const { config, secrets } = readConfig({
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: directory,
    ADMIN_IDS: String(ADMIN.id),
    WELCOME_CREDIT_RUB: "100",
    MAX_ACTIVE_ORDERS: "0",
    ORDERS_PER_MINUTE: "0",
    SUPPORT_CONTACT: "@atelier_help",
    ...options.environment,
  });
  // Without a network a link of the chat is taken as it is.
  const guardedFetch = () => Promise.reject(new FetchError("network"));
  const overrides = { providers: [provider], logger, httpPort: 0, guardedFetch, ...options.overrides };
  withTables(join(config.dataDir, "atelier.db"));
  let app: App = createApp(config, secrets, overrides);
  let { httpAddress } = await app.start();
  let closed: Promise<void> | undefined;
  const database = openDatabase(config, "tool");
  const adminService = createAdminService(database, systemClock);
  return {
    sandbox,
    provider,
    directory,
    /** Log lines, parsed. */
    lines,
    get httpAddress() {
      return httpAddress;
    },
    /** A second handle on the service's database, as the operator's command line has. */
    adminService,
    database,
    /** The balance of a Telegram user, in rubles. */
    balanceOf: (userId: number) => accountOf(adminService, userId).balance / 100,
    /** Stops the service only, then starts a new one on the same data. */
    async restart() {
      await app.stop();
      app = createApp(config, secrets, overrides);
      ({ httpAddress } = await app.start());
    },
    stopService: () => app.stop(),
    /** Stops everything and fails on any breach of the Bot API's schema. */
    close() {
      closed ??= closeAll();
      return closed;
    },
  };

  async function closeAll(): Promise<void> {
    await app.stop();
    await database.close();
    await sandbox.close();
    sandbox.assertNoBreaches();
  }
}
