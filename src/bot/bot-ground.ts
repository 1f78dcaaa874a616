import type { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { AdminStore } from "../accounts/admin-store.js";
import type { Kopecks } from "../contract/price.js";
import type { Ground } from "../database/ground.js";
import type { Moderation } from "../moderation/moderation.js";
import type { GuardedFetch } from "../platform/guarded-fetch.js";
import type { ProxySettings } from "../platform/outgoing-agent.js";
import type { TextCipher } from "../platform/text-cipher.js";
import type { DailyTime } from "../platform/zoned-time.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { ManagedAccounts } from "../service/accounts.js";
import type { Service } from "../service/service.js";
import type { WatchingTill } from "../tills/till.js";
import type { DrawChart } from "../workers/chart-process.js";
import { CardMessages, GoOnNotices } from "./card/card-messages.js";
import { Drafts } from "./card/draft-store.js";
import { LinkChecks, PictureShapes, Pictures } from "./card/pictures.js";
import { CommandMenu } from "./command-menu.js";
import { Dialogs } from "./dialogs.js";
import { Access } from "./middleware.js";
import { EventStore } from "./notices/event-store.js";
import type { AcceptedSpool } from "./orders/accepted-spool.js";
import { requestBytesMaxOf } from "./orders/delivery/outgoing-file.js";
import { OrderStore } from "./orders/order-store.js";
import { ToldLimits } from "./orders/pay.js";
import { type StarsOffer, StarsTill } from "./payments/stars-till.js";
import { TopUps } from "./payments/top-ups.js";
import { type OnNewPerson, type OwnData, People } from "./people/people.js";
import { Spending } from "./people/spending.js";
import { type TelegramConnections, TelegramFiles } from "./telegram/files.js";
import { Outbox } from "./telegram/outbox.js";
import type { ChatPlace } from "./telegram/place.js";
import { Removals } from "./telegram/removals.js";
import type { LegalTexts } from "./texts/legal-texts.js";
import type { Language, Texts } from "./texts/texts.js";

export interface BotOptions extends Ground {
  token: string;
  apiRoot: string;
  /** Whether that is a server of one's own in local mode, with its limits and its disk. */
  isLocal: boolean;
  proxy: ProxySettings;
  /** Encrypts updates and dialogs where they are stored. */
  cipher: TextCipher;
  service: Pick<Service, "gateways" | "jobFeed" | "accounts" | "upstreams" | "figures">;
  /** What operators are to be told. */
  notices: NoticeQueue;
  /** The chat that operators have for what happens. */
  eventsChat: ChatPlace | undefined;
  reportAt: DailyTime | undefined;
  drawChart: DrawChart;
  apiUrl: string;
  texts: Texts;
  /** The directory of the pictures that the greeting shows: see `exampleSender`. */
  examplesDirectory: string;
  adminIds: AdminStore;
  /** People who may use the bot. Empty: everybody. */
  allowedUsers: readonly number[];
  /** The largest correction by an admin that is not asked about once more. */
  correctionAskKopecks: Kopecks;
  supportContact: string | undefined;
  /** Unpaid drafts of a person within a minute; 0: any number. */
  draftsPerMinuteMax: number;
  /** Judges words as they are sent. */
  moderation: Moderation;
  /** What is sold for Stars, where accounts are managed here. */
  stars: StarsOffer;
  /** Tills beside Stars, where accounts are managed here: also those that sell nothing now. */
  tills: readonly WatchingTill[];
  legalTexts: LegalTexts;
  guardedFetch: GuardedFetch;
  spool: AcceptedSpool;
  /** Moment at which the data was restored from a backup, in ms since the epoch. */
  restoredAt?: number | undefined;
  /** Time of the oldest of the backups that were restored, one after the other. */
  lostSince?: number | undefined;
}

export interface TelegramLine {
  api: Api;
  /** Does not retry: for callers that keep their messages in the database. */
  plainApi: Api;
  connections: TelegramConnections;
}

/** What orders, payments, support and features of the bot stand on. It is built once. */
export type BotGround = ReturnType<typeof openGround>;

/** The same where accounts are managed here. */
export type ManagedGround = BotGround & { accounts: ManagedAccounts };

export function openGround(
  options: BotOptions,
  { api, plainApi, connections }: TelegramLine,
  botInfo: UserFromGetMe,
) {
  const { token, apiRoot, isLocal, cipher, ...given } = options;
  const { database, clock, logger, texts, supportContact, adminIds, eventsChat } = given;
  const { gateways, jobFeed } = given.service;
  const events = new EventStore(database);
  const onNewPerson: OnNewPerson | undefined =
    eventsChat &&
    ((tx, person, at) => events.record(tx, { kind: "new_person", user: String(person.id) }, at));
  const people = new People(database, clock, onNewPerson);
  const languageOf = (userId: number): Language => texts.in(people.find(userId)?.locale);
  const drafts = new Drafts(database, clock, given.draftsPerMinuteMax);
  const { accounts } = given.service;
  const spending = accounts.kind === "shared" ? new Spending(database, clock) : undefined;
  const starsTill = new StarsTill(api, plainApi, given.stars, clock);
  const tills = accounts.kind === "managed" ? [starsTill, ...given.tills] : [];
  const topUps = new TopUps(
    tills.filter(({ isOn }) => isOn),
    botInfo.username,
  );
  const shapes = new PictureShapes();
  const written = { texts, clock, logger, database, supportContact, topUps, shapes };
  const cards = new CardMessages({ api, drafts, accounts, spending, ...written });
  const dialogs = new Dialogs(database, clock, cipher);
  const files = new TelegramFiles(api, connections, apiRoot, token, isLocal);
  return {
    ...given,
    botInfo,
    /** Retries failed calls. Used outside a handler's own chat. */
    api,
    /** Does not retry: for callers that keep their messages in the database, or time their own tries. */
    plainApi,
    events,
    people,
    languageOf,
    /** The language in which operators read what is for all of them, whatever one chooses for herself. */
    operatorLanguage: texts.in(undefined),
    readIntent: texts.readIntent,
    commandMenu: new CommandMenu(api, texts, adminIds, accounts, logger),
    drafts,
    cards,
    goOnNotices: new GoOnNotices(api),
    dialogs,
    /** What is stored about people: by the bot itself, then by its features. */
    ownData: [people, drafts, dialogs] as OwnData[],
    pictures: new Pictures(files, clock, logger),
    shapes,
    links: new LinkChecks(given.guardedFetch, shapes),
    orders: new OrderStore(database, drafts, clock, spending),
    gateways,
    jobFeed,
    toldLimits: new ToldLimits(clock),
    accounts,
    /** What people spend of the account that they share. Absent where everyone has a balance of their own. */
    spending,
    upstreams: () => given.service.upstreams(),
    outbox: new Outbox(api, database, clock, logger),
    removals: new Removals(plainApi, database, clock, logger),
    /** The zone in which a day begins for operators. */
    zone: given.reportAt?.zone ?? "UTC",
    requestBytesMax: requestBytesMaxOf({ isLocal }),
    access: new Access(given.allowedUsers, adminIds),
    /** What Telegram pays with, where accounts are managed here. */
    starsTill,
    topUps,
  };
}
