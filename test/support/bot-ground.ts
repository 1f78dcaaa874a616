import { Readable } from "node:stream";
import { AdminStore } from "../../src/accounts/admin-store.js";
import { type BotGround, type BotOptions, openGround } from "../../src/bot/bot-ground.js";
import { loadLegalTexts } from "../../src/bot/texts/legal-texts.js";
import { asKopecks } from "../../src/contract/price.js";
import { noModeration } from "../../src/moderation/moderation.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { FetchError } from "../../src/platform/guarded-fetch.js";
import { systemIds } from "../../src/platform/ids.js";
import { noCipher } from "../../src/platform/text-cipher.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import type { ServiceAccounts } from "../../src/service/accounts.js";
import { type BotWorld, openBotWorld } from "./bot-world.js";
import { texts } from "./drafts.js";
import { sharedAccount } from "./fake-accounts.js";
import { FakeService } from "./fake-gateway.js";
import { BOT, FakeTelegram, TOKEN } from "./fake-telegram.js";
import { silentLogger } from "./log.js";
import { NO_STARS } from "./stars-offer.js";

export const ADMIN_ID = 9;

const legalTexts = loadLegalTexts("data/terms", texts);

/** What the bot is given on this world, in front of this service. */
export function botOptions(world: BotWorld, service: BotOptions["service"]): BotOptions {
  const { database, clock, spool } = world;
  return {
    token: TOKEN,
    apiRoot: "http://telegram.invalid",
    isLocal: false,
    proxy: {},
    cipher: noCipher,
    draftsPerMinuteMax: 0,
    moderation: noModeration,
    service,
    notices: new NoticeQueue(),
    eventsChat: undefined,
    reportAt: undefined,
    drawChart: async () => Buffer.from("chart"),
    apiUrl: "https://api.example/v1",
    texts,
    examplesDirectory: "data/examples",
    adminIds: new AdminStore(database, clock, [ADMIN_ID]),
    allowedUsers: [],
    correctionAskKopecks: asKopecks(10_000_00),
    supportContact: "@help",
    stars: NO_STARS,
    tills: [],
    legalTexts,
    guardedFetch: () => Promise.reject(new FetchError("network")),
    database,
    clock,
    ids: systemIds,
    logger: silentLogger(),
    failPoint: noFailPoint,
    spool,
  };
}

export function telegramLine({ api }: FakeTelegram) {
  const connections = {
    fetch: () => Promise.reject(new Error("no network")),
    download: async () => Readable.from([Buffer.from("picture")]),
    close: async () => {},
  };
  return { api, plainApi: api, connections };
}

interface GroundOptions {
  world?: BotWorld;
  telegram?: FakeTelegram;
  /** Default: everybody shares one account. */
  service?: FakeService;
  accounts?: ServiceAccounts;
}

/** What orders of the bot stand on, with some of it replaced. */
export function openBotGround(
  { world = openBotWorld(), telegram = new FakeTelegram(), service, accounts }: GroundOptions = {},
  change: Partial<BotGround> = {},
): BotGround {
  const fake = service ?? new FakeService();
  const ofService = { gateways: fake, jobFeed: fake.jobFeed, accounts: accounts ?? sharedAccount() };
  const options = botOptions(world, { ...ofService, upstreams: () => [] });
  return { ...openGround(options, telegramLine(telegram), BOT), ...change };
}
