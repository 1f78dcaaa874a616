import type { Api, Composer } from "grammy";
import type { AccountAdmin } from "../../contract/admin.js";
import type { Gateways } from "../../contract/gateway.js";
import type { AccountKeys } from "../../contract/keys.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { CommandMenu } from "../command-menu.js";
import type { BotContext } from "../context.js";
import type { CardDesk } from "../create/card-desk.js";
import type { Drafts } from "../create/drafts.js";
import type { Pictures } from "../create/pictures.js";
import type { OrderDesk } from "../orders/order-desk.js";
import type { People } from "../people/people.js";
import type { Removals } from "../removals/removals.js";
import type { Texts } from "../texts.js";

/** What features work with. */
export interface FeatureParts {
  /** Calls outside of a handler's own chat; with retries. */
  api: Api;
  people: People;
  texts: Texts;
  commandMenu: CommandMenu;
  drafts: Drafts;
  cards: CardDesk;
  pictures: Pictures;
  orders: OrderDesk;
  gateways: Gateways;
  /** Absent where accounts are managed elsewhere. */
  admin: AccountAdmin | undefined;
  /** Absent where keys are managed elsewhere. */
  keys: AccountKeys | undefined;
  removals: Removals;
  /** The base address of the HTTP API, where its keys are used. */
  apiUrl: string;
  clock: Clock;
  adminIds: ReadonlySet<number>;
  supportContact: string | undefined;
  refundsFailedJobs: boolean;
  logger: Logger;
}

/** A part of the bot that handles some updates; those that it does not handle go on to the next. */
export interface Feature {
  name: string;
  /** The commands that the menu lists, each with a description `command-<name>` in the locales. */
  commands?: readonly string[];
  /** Commands that only admins see. */
  adminCommands?: readonly string[];
  /** Whether this service has what the feature is about; without it every service has. */
  isOffered?(service: Pick<FeatureParts, "admin" | "keys">): boolean;
  build(parts: FeatureParts): Composer<BotContext>;
}
