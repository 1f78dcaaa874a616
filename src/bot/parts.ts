import type { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { KeptAdmins } from "../accounts/admin-store.js";
import type { RecordAct } from "../accounts/audit-log.js";
import type { JobId } from "../contract/job.js";
import type { Kopecks } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { type Moderation, noModeration } from "../moderation/moderation.js";
import type { Clock } from "../platform/clock.js";
import type { FailPoint } from "../platform/fail-point.js";
import type { GuardedFetch } from "../platform/guarded-fetch.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import type { ProxySettings } from "../platform/outgoing-agent.js";
import type { TextCipher } from "../platform/text-cipher.js";
import type { DailyTime } from "../platform/zoned-time.js";
import type { Gateways } from "../ports/gateway.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { Service } from "../service/service.js";
import type { WatchingTill } from "../tills/till.js";
import type { DrawChart } from "../workers/chart-process.js";
import { CardMessages } from "./card/card-messages.js";
import { type Draft, Drafts, ownDrafts } from "./card/draft-store.js";
import { LinkChecks } from "./card/link-checks.js";
import { PictureShapes, Pictures } from "./card/pictures.js";
import { CommandMenu } from "./command-menu.js";
import { Dialogs } from "./dialogs.js";
import { AdminCode } from "./features/become-admin.js";
import { ExamplePictures } from "./features/start.js";
import { createSupport, type Support } from "./features/support/support-desk.js";
import { Access } from "./middleware.js";
import { EventStore } from "./notices/event-chat.js";
import type { AcceptedSpool } from "./orders/accepted-spool.js";
import { requestBytesMaxOf } from "./orders/delivery/file-sender.js";
import { OrderService } from "./orders/order-service.js";
import { OrderStore, resultMessageOf } from "./orders/order-store.js";
import { type BotPayments, createBotPayments } from "./payments/bot-payments.js";
import { type StarsOffer, StarsTill } from "./payments/stars-till.js";
import { TopUps } from "./payments/top-ups.js";
import { type BotAccounts, spendingOf } from "./people/accounts.js";
import { type OnNewPerson, OwnDataParts, People } from "./people/people.js";
import { Spending } from "./people/spending.js";
import { type TelegramConnections, TelegramFiles } from "./telegram/files.js";
import { Outbox } from "./telegram/outbox.js";
import type { ChatPlace } from "./telegram/place.js";
import { Removals } from "./telegram/removals.js";
import type { LegalTexts } from "./texts/legal-texts.js";
import { readWordLists, type WordLists } from "./texts/read-words.js";
import type { Texts } from "./texts/texts.js";

export interface BotOptions {
  token: string;
  apiRoot: string;
  /** Whether that is a server of one's own in local mode, with its limits and its disk. */
  isLocal?: boolean;
  proxy?: ProxySettings;
  database: Database;
  /** Encrypts updates and dialogs where they are stored. Default: they are stored in the clear. */
  cipher?: TextCipher;
  service: Pick<Service, "gateways" | "jobFeed" | "accounts" | "upstreams" | "figures">;
  /** What operators are to be told. */
  notices: NoticeQueue;
  recordAct: RecordAct;
  /** The chat that operators have for what happens. */
  eventsChat: ChatPlace | undefined;
  reportAt: DailyTime | undefined;
  drawChart: DrawChart;
  apiUrl: string;
  texts: Texts;
  /** The directory of the pictures that the greeting shows: see `ExamplePictures`. */
  examplesDirectory: string;
  adminIds: KeptAdmins;
  /** People who may use the bot. Empty: everybody. */
  allowedUsers: readonly number[];
  /** The largest correction by an admin that is not asked about once more. */
  correctionAskKopecks: Kopecks;
  supportContact: string | undefined;
  /** Unpaid drafts of a person within a minute. By default any number. */
  draftsPerMinuteMax?: number;
  /** Judges words as they are sent. By default every word passes. */
  moderation?: Moderation;
  /** What is sold for Stars, where accounts are managed here. */
  stars: StarsOffer;
  /** Tills beside Stars, where accounts are managed here: also those that sell nothing now. */
  tills: readonly WatchingTill[];
  legalTexts: LegalTexts;
  guardedFetch: GuardedFetch;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  failPoint: FailPoint;
  spool: AcceptedSpool;
  /** Moment at which the data was restored from a backup, in ms since the epoch. */
  restoredAt?: number | undefined;
  /** Moment of that backup. */
  backupMadeAt?: number | undefined;
}

export interface TelegramLine {
  api: Api;
  /** Does not retry: for callers that keep their messages in the database. */
  plainApi: Api;
  connections: TelegramConnections;
}

export interface BotParts {
  /** Holds the rows of features, whose factories open their stores in `features.ts`. */
  database: Database;
  /** Retries failed calls. Used outside a handler's own chat. */
  api: Api;
  events: EventStore;
  people: People;
  texts: Texts;
  words: WordLists;
  commandMenu: CommandMenu;
  ownData: OwnDataParts;
  drafts: Drafts;
  cards: CardMessages;
  pictures: Pictures;
  shapes: PictureShapes;
  links: LinkChecks;
  examples: ExamplePictures;
  dialogs: Dialogs;
  orders: OrderStore;
  orderService: OrderService;
  gateways: Gateways;
  accounts: BotAccounts;
  upstreams: Service["upstreams"];
  removals: Removals;
  outbox: Outbox;
  apiUrl: string;
  clock: Clock;
  adminIds: KeptAdmins;
  adminCode: AdminCode;
  eventsChat: ChatPlace | undefined;
  /** The zone in which a day begins for operators. */
  zone: string;
  drawChart: DrawChart;
  notices: NoticeQueue;
  recordAct: RecordAct;
  correctionAskKopecks: Kopecks;
  supportContact: string | undefined;
  requestBytesMax: number;
  moderation: Moderation;
  access: Access;
  topUps: TopUps;
  legalTexts: LegalTexts;
  /** Absent where accounts are elsewhere. */
  botPayments: BotPayments | undefined;
  /** Absent where accounts are elsewhere. */
  support: Support | undefined;
  logger: Logger;
}

export function createParts(
  options: BotOptions,
  { api, plainApi, connections }: TelegramLine,
  me: UserFromGetMe,
): BotParts {
  const { database, clock, ids, logger, texts, apiUrl, supportContact, adminIds } = options;
  const { gateways, jobFeed } = options.service;
  const { eventsChat, notices } = options;
  const events = new EventStore(database);
  const onNewPerson: OnNewPerson | undefined =
    eventsChat &&
    ((tx, person, at) => events.record(tx, { kind: "new_person", user: String(person.id) }, at));
  const people = new People(database, clock, onNewPerson);
  const drafts = new Drafts(database, clock, options.draftsPerMinuteMax);
  const resultMessage = (jobId: JobId, of: Pick<Draft, "userId" | "chatId">) =>
    resultMessageOf(database, jobId, of);
  const accounts = botAccounts(options);
  const access = new Access(options.allowedUsers, adminIds);
  const stars = new StarsTill(api, plainApi, options.stars, clock);
  const tills = accounts.kind === "managed" ? [stars, ...options.tills] : [];
  const openTills = tills.filter(({ isOn }) => isOn);
  const topUps = new TopUps(openTills, me.username);
  const written = { texts, clock, logger, supportContact, topUps };
  const cards = new CardMessages({ api, drafts, accounts, ...written, resultMessage });
  const { apiRoot, token, isLocal = false } = options;
  const dialogs = new Dialogs(database, clock, options.cipher);
  const files = new TelegramFiles(api, connections, apiRoot, token, isLocal);
  const requestBytesMax = requestBytesMaxOf({ isLocal });
  const shapes = new PictureShapes();
  const outbox = new Outbox(api, database, clock, logger);
  const commandMenu = new CommandMenu(api, texts, adminIds, accounts, logger);
  const orders = new OrderStore(database, drafts, clock, spendingOf(accounts));
  const orderService = new OrderService({
    api,
    plainApi,
    outbox,
    orders,
    drafts,
    spool: options.spool,
    restoredAt: options.restoredAt,
    gateways,
    accounts,
    jobFeed,
    cards,
    clock,
    ids,
    logger,
    personOf: (id) => people.find(id),
    languageOf: (id) => texts.in(people.find(id)?.locale),
    supportContact,
    requestBytesMax,
    topUps,
    adminIds,
    eventsChat,
    notices,
  });
  const botPayments =
    accounts.kind === "managed"
      ? createBotPayments(
          { ...options, api, plainApi, accounts, gateways, cards, drafts, people },
          { me, stars, otherTills: options.tills, access, backupMadeAt: options.backupMadeAt },
        )
      : undefined;
  return {
    database,
    api,
    events,
    people,
    texts,
    words: readWordLists(texts.languages),
    commandMenu,
    drafts,
    cards,
    dialogs,
    ownData: new OwnDataParts([people, ownDrafts(database), dialogs]),
    pictures: new Pictures(files, clock, logger),
    shapes,
    links: new LinkChecks(options.guardedFetch, shapes),
    examples: new ExamplePictures({ api: plainApi, directory: options.examplesDirectory, logger }),
    orders,
    orderService,
    gateways,
    accounts,
    upstreams: () => options.service.upstreams(),
    outbox,
    removals: new Removals(plainApi, database, clock, logger),
    apiUrl,
    clock,
    adminIds,
    adminCode: new AdminCode(clock),
    eventsChat,
    zone: options.reportAt?.zone ?? "UTC",
    drawChart: options.drawChart,
    notices,
    correctionAskKopecks: options.correctionAskKopecks,
    supportContact,
    requestBytesMax,
    moderation: options.moderation ?? noModeration,
    access,
    topUps,
    legalTexts: options.legalTexts,
    botPayments,
    recordAct: options.recordAct,
    support:
      accounts.kind === "managed"
        ? createSupport({ ...options, plainApi, accounts, people, events })
        : undefined,
    logger,
  };
}

function botAccounts({ service: { accounts }, database, clock }: BotOptions): BotAccounts {
  return accounts.kind === "shared" ? { ...accounts, spending: new Spending(database, clock) } : accounts;
}
