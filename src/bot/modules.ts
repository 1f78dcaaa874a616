import type { UserFromGetMe } from "grammy/types";
import type { ConnectedAccounts, ManagedAccounts } from "../service/accounts.js";
import { type BotOptions, openGround, type TelegramLine } from "./bot-ground.js";
import { AdminCode } from "./features/become-admin.js";
import { Broadcasts } from "./features/broadcast/broadcast-store.js";
import { createSupport, type Support } from "./features/support/support-desk.js";
import { OrderService } from "./orders/order-service.js";
import { type BotPayments, createBotPayments } from "./payments/bot-payments.js";

/** All modules of the bot, built once: every feature gets them whole, and takes what it uses. */
export type BotModules = ReturnType<typeof openModules>;

/** The bot where accounts are managed here. */
export interface ManagedBot extends BotModules {
  accounts: ManagedAccounts;
  broadcasts: Broadcasts;
  botPayments: BotPayments;
  support: Support;
}

/** The bot where people connect accounts of their own. */
export interface ConnectedBot extends BotModules {
  accounts: ConnectedAccounts;
}

export function isManaged(bot: BotModules): bot is ManagedBot {
  return bot.accounts.kind === "managed";
}

export function isConnected(bot: BotModules): bot is ConnectedBot {
  return bot.accounts.kind === "connected";
}

export function openModules(options: BotOptions, line: TelegramLine, botInfo: UserFromGetMe) {
  const ground = openGround(options, line, botInfo);
  const { accounts, database, clock, access } = ground;
  const isHere = accounts.kind === "managed";
  return {
    ...ground,
    orderService: new OrderService(ground),
    adminCode: new AdminCode(clock),
    /** Absent where accounts are elsewhere, as the next two. */
    broadcasts: isHere ? new Broadcasts(database, clock, accounts.users, access) : undefined,
    botPayments: isHere ? createBotPayments({ ...ground, accounts }) : undefined,
    support: isHere ? createSupport(ground) : undefined,
  };
}
