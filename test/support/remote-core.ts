import { onTestFinished } from "vitest";
import { type App, createApp } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { type Clock, systemClock } from "../../src/platform/clock.js";
import { createGuardedFetch } from "../../src/platform/guarded-fetch.js";
import { installAccounts } from "./api-accounts.js";
import { freePort } from "./free-port.js";
import { recordingLogger } from "./log.js";
import { LOOPBACK_INTERNET } from "./loopback-internet.js";
import { newFolder } from "./new-folder.js";
import { makeResults } from "./results.js";
import { ADMIN, ANN, BORIS, startSandbox, TOKEN } from "./service.js";
import { createStubProvider } from "./stub-provider.js";

export type RemoteCore = Awaited<ReturnType<typeof startRemoteCore>>;

/**
 * This project's own service without a bot, on a fixed port.
 * @param rubles on the account of `key`
 */
export async function startRemoteCore(
  rubles: number,
  {
    accounts: accountCount = 1,
    environment = {},
  }: { accounts?: number; environment?: Record<string, string> } = {},
) {
  const directory = newFolder();
  const accounts = await installAccounts(directory, accountCount, rubles);
  const port = String(await freePort());
  const provider = Object.assign(createStubProvider(), { make: makeResults });
  const { config, secrets } = readConfig({ DATA_DIR: directory, HTTP_PORT: port, ...environment });
  let app: App | undefined;
  const core = {
    /** With the version prefix. */
    url: `http://127.0.0.1:${port}/v1`,
    /** Of the first account. */
    key: accounts.keys[0] ?? "",
    dataDir: directory,
    accounts,
    provider,
    /** Of the first account, in rubles. */
    balance: () => accounts.balanceOf(1),
    async stop() {
      await app?.stop();
      app = undefined;
    },
    /** On the same data, after `stop`. */
    async start() {
      const { logger } = recordingLogger("warn");
      const guardedFetch = createGuardedFetch({ clock: systemClock, ...LOOPBACK_INTERNET });
      app = createApp(config, secrets, { providers: [provider], logger, guardedFetch });
      await app.start();
    },
  };
  await core.start();
  onTestFinished(() => core.stop());
  return core;
}

interface FrontEndOptions {
  url: string;
  /** Of the account that everybody shares. Empty: people connect keys of their own. */
  key: string;
  environment?: Record<string, string>;
  clock?: Clock;
}

/** The bot as the front-end of a service elsewhere, with a sandbox in front. */
export async function startFrontEnd({ url, key, environment, clock }: FrontEndOptions) {
  const sandbox = await startSandbox();
  const { logger, lines } = recordingLogger("debug");
  const variables = {
    CORE: "api",
    CORE_URL: url,
    CORE_API_KEY: key,
    ALLOWED_USERS: `${ANN.id},${BORIS.id}`,
    ADMIN_IDS: String(ADMIN.id),
    POLL_INTERVAL_MS: "100",
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    DATA_DIR: newFolder(),
    ...environment,
  };
  const { config, secrets } = readConfig(variables);
  const overrides = { logger, httpPort: 0, ...(clock && { clock }) };
  let app = createApp(config, secrets, overrides);
  let { httpAddress } = await app.start();
  onTestFinished(() => app.stop());
  return {
    sandbox,
    lines,
    dataDir: config.dataDir,
    get httpAddress() {
      return httpAddress;
    },
    /** @param changed variables of the environment */
    async restart(changed: Record<string, string> = {}) {
      await app.stop();
      const next = readConfig({ ...variables, ...changed });
      app = createApp(next.config, next.secrets, overrides);
      ({ httpAddress } = await app.start());
    },
  };
}
