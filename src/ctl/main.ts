import { existsSync } from "node:fs";
import { join } from "node:path";
import { backupTo, LOCALES, telegramSettings } from "../app.js";
import { DATABASE_FILE } from "../backup/manifest.js";
import { STARS } from "../bot/payments/stars-till.js";
import { openLine } from "../bot/start-bot.js";
import { retryCalls } from "../bot/telegram/failure.js";
import { loadTexts } from "../bot/texts/texts.js";
import { resumeUpstream } from "../build-service.js";
import { type Config, readConfig, type Secrets } from "../config.js";
import { isDataDirLocked } from "../database/service-lock.js";
import { systemClock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { SECOND_MS } from "../platform/units.js";
import { openDatabase, restoreBackup } from "../restore-data.js";
import { YOOKASSA } from "../tills/yookassa/refunds.js";
import type { Post } from "./context.js";
import { runCommand } from "./run.js";

// A new database or backup is private to its owner.
process.umask(0o077);

// A closed pipe (`| head`) is no failure; any other fault is reported in one line.
process.stdout.on("error", (error) => {
  if ("code" in error && error.code === "EPIPE") return;
  process.stderr.write(`ctl: the answer cannot be written (${error.message})\n`);
  process.exit(1);
});

/** Reports that the outcome of the command is unknown, and ends. */
function endUnknown(error: unknown): never {
  const told = `it is not known whether the change was written (${reasonOf(error)}): check it before you repeat it`;
  const isJson = process.argv.includes("--json");
  process.stderr.write(isJson ? `${JSON.stringify({ error: told })}\n` : `ctl: ${told}\n`);
  process.exit(1);
}

/** Reads where ComfyUI runs, also where PROVIDERS does not list it yet. */
function comfyuiPlace() {
  const { config, secrets } = readConfig({ ...process.env, CORE: "embedded", PROVIDERS: "comfyui" });
  const root = new URL(config.upstreams.comfyui?.apiRoot ?? "");
  return { root, proxy: { httpsProxy: secrets.httpsProxy, noProxy: config.noProxy } };
}

/** How long a notice to a person may take. A command waits for it. */
const TELL_SEC = 15;

/** Names the tills of the running service, which is their only one to ask. Without a bot there is none. */
function tillsOf({ yookassaShopId }: Config, { botToken, yookassaKey }: Secrets): readonly string[] {
  if (botToken === undefined) return [];
  return yookassaShopId === undefined || yookassaKey === undefined ? [STARS] : [STARS, YOOKASSA];
}

function openPost(config: Config, secrets: Secrets): Post {
  const texts = loadTexts(LOCALES, config.defaultLocale);
  const telegram = telegramSettings(config, secrets);
  if (!telegram) return { texts, api: undefined, close: async () => {} };
  const { api, connections } = openLine(telegram, TELL_SEC);
  api.config.use(retryCalls(systemClock, AbortSignal.timeout(TELL_SEC * SECOND_MS)));
  return { texts, api, close: () => connections.close() };
}

// Timers do not keep a process alive, and a command may wait for the service.
const alive = setInterval(() => {}, 60_000);
process.exitCode = await runCommand({
  args: process.argv.slice(2),
  settings: () => {
    const { config, secrets } = readConfig(process.env);
    const { catalogueFile, offersFile, providers, moderationFiles, adminIds } = config;
    return {
      sale: { catalogueFile, offersFile, providers },
      moderationFiles,
      upstreams: Object.keys(config.upstreams),
      adminIds,
      isCoreElsewhere: config.core === "api",
      isAccountShared: config.core === "api" && secrets.coreApiKey !== undefined,
      tills: tillsOf(config, secrets),
      openPost: () => openPost(config, secrets),
      comfyui: comfyuiPlace,
      openDatabase: () => {
        const isThere = existsSync(join(config.dataDir, DATABASE_FILE));
        const database = openDatabase(config, "tool", { onUnknownOutcome: endUnknown });
        if (!isThere)
          process.stderr.write(`ctl: there was no database in ${config.dataDir}: an empty one was made\n`);
        return database;
      },
      resumeUpstream: (database, name) =>
        resumeUpstream(
          { database, clock: systemClock, isRunning: () => isDataDirLocked(config.dataDir) },
          name,
        ),
      backupTo: (folder) => backupTo(folder, config),
      restore: (folder, mayReplace) => restoreBackup({ folder, dataDir: config.dataDir, mayReplace }),
    };
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
clearInterval(alive);
