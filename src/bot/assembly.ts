import type { Api } from "grammy";
import type { AccountAdmin } from "../contract/admin.js";
import type { Gateways } from "../contract/gateway.js";
import type { AccountKeys } from "../contract/keys.js";
import type { Database } from "../database/database.js";
import type { Boundary } from "../platform/boundary.js";
import type { Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import type { Logger } from "../platform/logger.js";
import { CommandMenu } from "./command-menu.js";
import { CardDesk } from "./create/card-desk.js";
import { Drafts } from "./create/drafts.js";
import { Pictures } from "./create/pictures.js";
import { Dialogs } from "./dialogs.js";
import type { Feature, FeatureParts } from "./features/feature.js";
import { features } from "./features/list.js";
import { Deliveries } from "./orders/deliveries.js";
import { OrderDesk } from "./orders/order-desk.js";
import { Orders } from "./orders/orders.js";
import { People } from "./people/people.js";
import { Removals } from "./removals/removals.js";
import type { TelegramConnections } from "./telegram/fetch.js";
import { TelegramFiles } from "./telegram/files.js";
import type { Texts } from "./texts.js";

export interface BotOptions {
  token: string;
  /** The address of the Bot API server, without a slash at the end. */
  apiRoot: string;
  database: Database;
  gateways: Gateways;
  admin: AccountAdmin | undefined;
  keys: AccountKeys | undefined;
  /** The base address of the HTTP API, for people who get a key. */
  apiUrl: string;
  texts: Texts;
  adminIds: readonly number[];
  /** Empty: everybody. */
  allowedUsers: readonly number[];
  supportContact: string | undefined;
  refundsFailedJobs: boolean;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  boundary: Boundary;
}

/** The features that this service offers. */
export function offeredFeatures(service: BotOptions): readonly Feature[] {
  return features.filter(({ isOffered }) => isOffered?.(service) ?? true);
}

/** How the parts reach Telegram. */
export interface TelegramLine {
  /** Waits out faults by itself. */
  api: Api;
  /** Fails at the first fault: for those who keep what is to be sent in rows. */
  plainApi: Api;
  connections: TelegramConnections;
}

/** Builds every part of the bot and tells each what it works with. */
export function assemble(options: BotOptions, { api, plainApi, connections }: TelegramLine): FeatureParts {
  const { database, clock, ids, logger, texts, gateways, admin, keys, apiUrl, supportContact } = options;
  const adminIds = new Set(options.adminIds);
  const people = new People(database, clock);
  const drafts = new Drafts(database, clock);
  const cards = new CardDesk({ api, drafts, gateways, texts, clock, logger, supportContact });
  const files = new TelegramFiles({ api, connections, apiRoot: options.apiRoot, token: options.token });
  const offered = offeredFeatures(options);
  const names = {
    everybody: offered.flatMap(({ commands = [] }) => commands),
    admins: offered.flatMap(({ adminCommands = [] }) => adminCommands),
  };
  const commandMenu = new CommandMenu(api, texts, names, adminIds);
  const orders = new OrderDesk({
    database,
    api,
    plainApi,
    orders: new Orders(database, drafts, clock),
    deliveries: new Deliveries(database, clock),
    gateways,
    cards,
    clock,
    ids,
    logger,
    personOf: (id) => people.find(id),
    languageOf: (id) => texts.in(people.find(id)?.locale),
    supportContact,
  });
  return {
    api,
    people,
    texts,
    commandMenu,
    drafts,
    cards,
    dialogs: new Dialogs(database, clock),
    pictures: new Pictures({ files, gateways, clock, logger }),
    orders,
    gateways,
    admin,
    keys,
    removals: new Removals({ api: plainApi, database, clock, logger }),
    apiUrl,
    clock,
    adminIds,
    supportContact,
    refundsFailedJobs: options.refundsFailedJobs,
    logger,
  };
}
