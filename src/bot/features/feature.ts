import type { Api, CommandContext, Filter } from "grammy";
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
import type { Dialogs } from "../dialogs.js";
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
  dialogs: Dialogs;
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

/** A message, not an edited one. */
export type MessageContext = Filter<BotContext, "message">;
export type EditContext = Filter<BotContext, "edited_message">;
export type TapContext = Filter<BotContext, "callback_query">;

/** Resolves when the update has been handled. `undefined`, at once, leaves it to the next feature. */
export type Handled = Promise<unknown> | undefined;

/** What a feature does with an update, by its kind. */
export interface Handlers {
  /** Sees every update before anybody handles it, and may put together what belongs together. */
  observe?(ctx: BotContext): void;
  /** By the name of the command, without the slash; `ctx.match` is what stands behind it. */
  commands?: Readonly<Record<string, (ctx: CommandContext<BotContext>) => Handled>>;
  /** @param data of the button; empty for one that has none */
  tap?(ctx: TapContext, data: string): Handled;
  /** A message that is none of the feature's commands. */
  message?(ctx: MessageContext): Handled;
  edit?(ctx: EditContext): Handled;
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
  build(parts: FeatureParts): Handlers;
}
