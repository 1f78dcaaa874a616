import { fileURLToPath } from "node:url";
import { lastRestore } from "./backup/restored-store.js";
import type { AcceptedSpool } from "./bot/orders/checkout/accepted-spool.js";
import { type RunningBot, startBot } from "./bot/start-bot.js";
import type { LegalTexts } from "./bot/texts/legal-texts.js";
import type { Texts } from "./bot/texts/texts.js";
import type { Config, Secrets } from "./config.js";
import { AdminStore } from "./core/admins/admin-store.js";
import { recordAct } from "./core/audit/audit-log.js";
import type { Database } from "./database/database.js";
import type { Clock } from "./platform/clock.js";
import type { FailPoint } from "./platform/fail-point.js";
import type { GuardedFetch } from "./platform/guarded-fetch.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import type { TextCipher } from "./platform/text-cipher.js";
import type { DrawChart } from "./ports/chart.js";
import type { Moderation } from "./ports/moderation.js";
import type { NoticeQueue } from "./ports/operator-notices.js";
import type { Service } from "./ports/service.js";
import type { WatchingTill } from "./ports/till.js";

const TELEGRAM_API_ROOT = "https://api.telegram.org";
const WITHOUT_BOT =
  "BOT_TOKEN is not set: the service runs without a bot, as the API alone; @BotFather gives the token, which goes into .env";

interface BotBuildParts {
  config: Config;
  secrets: Secrets;
  database: Database;
  service: Service;
  notices: NoticeQueue;
  texts: Texts;
  legalTexts: LegalTexts;
  moderation: Moderation;
  guardedFetch: GuardedFetch;
  drawChart: DrawChart;
  /** Tills beside Stars. */
  tills: readonly WatchingTill[];
  cipher: TextCipher;
  spool: AcceptedSpool;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
}

/** Starts the bot as the settings say. Resolves to undefined where there is no token. */
export async function startConfiguredBot(
  { config, secrets, ...parts }: BotBuildParts,
  signal: AbortSignal,
): Promise<RunningBot | undefined> {
  const { database, clock, logger } = parts;
  const { botToken: token, telegramProxies: everyCall, httpsProxy } = secrets;
  if (token === undefined) {
    logger.warn(WITHOUT_BOT);
    return undefined;
  }
  const restored = lastRestore(database);
  return startBot(
    {
      ...parts,
      token,
      apiRoot: config.telegramApiRoot ?? TELEGRAM_API_ROOT,
      isLocal: config.isTelegramLocal,
      proxy: { everyCall, httpsProxy, noProxy: config.noProxy },
      recordAct,
      eventsChat: config.eventsChat,
      reportAt: config.reportAt,
      apiUrl: `${config.publicUrl.replace(/\/$/, "")}/v1`,
      examplesDirectory: fileURLToPath(new URL("../data/examples", import.meta.url)),
      adminIds: new AdminStore({ database, clock, listed: config.adminIds }),
      allowedUsers: config.allowedUserIds,
      correctionAskKopecks: config.correctionAskKopecks,
      supportContact: config.supportContact,
      draftsPerMinuteMax: config.draftsPerMinuteMax,
      stars: { packs: config.starPacks, rateKopecks: config.starRateKopecks },
      restoredAt: restored?.restored_at,
      backupMadeAt: restored?.made_at,
    },
    signal,
  );
}
