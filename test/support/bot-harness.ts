import { BotError } from "grammy";
import type { Message, Update } from "grammy/types";
import type { User } from "../../src/accounts/account-store.js";
import { AdminStore } from "../../src/accounts/admin-store.js";
import type { BotOptions } from "../../src/bot/bot-ground.js";
import { type BotModules, isManaged, type ManagedBot, openModules } from "../../src/bot/modules.js";
import { createHandlers } from "../../src/bot/start-bot.js";
import { asKopecks } from "../../src/contract/price.js";
import type { EmbeddedService, EmbeddedSettings } from "../../src/core/embedded-service.js";
import { type Gateway, type Gateways, type JobFeed, NOT_CONNECTED } from "../../src/ports/gateway.js";
import type { ServiceAccounts } from "../../src/service/accounts.js";
import type { Service } from "../../src/service/service.js";
import { ADMIN_ID, botOptions, telegramLine } from "./bot-ground.js";
import { type BotWorld, openBotWorld } from "./bot-world.js";
import { testCoreOn } from "./core.js";
import { withText } from "./drafts.js";
import { FakeService } from "./fake-gateway.js";
import { BOT, FakeTelegram } from "./fake-telegram.js";

export { ADMIN_ID };

export const ANN = { id: 7, is_bot: false as const, first_name: "Ann", language_code: "en" };
export const BORIS = { ...ANN, id: 8, first_name: "Boris", username: "boris" };
/** The admin. */
export const MAX = { ...ANN, id: ADMIN_ID, first_name: "Max" };

export const GROUP = { id: -100, type: "supergroup", title: "Studio" } as const;
export const IN_GROUP: Partial<Message> = { chat: GROUP };
export const PHOTO = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];
type BotService = Pick<Service, "upstreams">;

interface HarnessOptions {
  /** In place of the methods of a gateway that takes everything. */
  gateway: Partial<Gateway>;
  /** Default: those of a real core on the same database. */
  accounts: ServiceAccounts;
  core: EmbeddedService;
  /** Settings of that core. */
  settings: Partial<EmbeddedSettings>;
  /** Whether people have connected an account, where they have to. Default: everybody has. */
  isConnected: () => boolean;
  /** Admins by the settings. */
  adminIds: readonly number[];
  /** In place of the ones that find the gateway above. */
  gateways: Gateways;
  /** Of an earlier harness, for a restart. */
  world: BotWorld;
}

/** The bot without Telegram: updates go in by hand, and its calls are recorded and succeed. */
export function openBotHarness({
  upstreams = () => [],
  isConnected = () => true,
  gateway: replaced,
  world = openBotWorld(),
  settings = {},
  core = testCoreOn(world, { settings }),
  accounts = core.accounts,
  gateways: ownGateways,
  adminIds = [ADMIN_ID],
  ...change
}: Partial<Omit<BotOptions, "adminIds"> & BotService & HarnessOptions> = {}) {
  const telegram = new FakeTelegram();
  const { calls } = telegram;
  const { database } = world;
  const fakeService = new FakeService({ refundsLostFiles: accounts.kind === "managed", database });
  // Everybody shares one account.
  const gateway = Object.assign(fakeService.gateway(ANN.id), replaced);
  gateway.kopecks = asKopecks(500_00);
  const watched: string[] = [];
  const jobFeed: JobFeed = {
    watch({ id }) {
      watched.push(id);
      return () => {};
    },
  };
  const lookUps = { of: 0 };
  const find = async (user: User) => {
    lookUps.of += 1;
    if (accounts.kind === "managed") await accounts.users.idOf(user);
    return accounts.kind !== "connected" || isConnected() ? gateway : NOT_CONNECTED;
  };
  const gateways: Gateways = ownGateways ?? {
    of: find,
    ofOrder: (_orderId, user) => find(user),
  };
  const options: BotOptions = {
    ...botOptions(world, { gateways, jobFeed, accounts, upstreams }),
    adminIds: new AdminStore(world.database, world.clock, adminIds),
    ...change,
  };
  const parts = openModules(options, telegramLine(telegram), BOT);
  const stopping = new AbortController();
  const bot = createHandlers(parts, stopping.signal);

  /** Passes an update to the bot as the inbox does. */
  const handle = async (update: Omit<Update, "update_id">) => {
    try {
      await bot.handleUpdate({ update_id: telegram.nextId(), ...update });
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      await bot.errorHandler(error);
    }
  };
  const message = (content: Partial<Message>, from = ANN) => {
    const chat = { id: from.id, type: "private", first_name: from.first_name };
    return { message_id: telegram.nextId(), date: 1, from, chat, ...content } as Message & Update["message"];
  };
  const tap = (
    data: string,
    messageId = telegram.lastId,
    from: typeof ANN = ANN,
    more: Partial<Message> = {},
  ) =>
    handle({
      callback_query: {
        id: String(telegram.lastId),
        from,
        chat_instance: "1",
        data,
        message: message({ message_id: messageId, ...more }, from) as never,
      },
    });
  /** The open card of a person. */
  const card = (chatId: number = ANN.id, userId: number = ANN.id) =>
    withText(world.drafts.composing(userId, chatId));
  return {
    ...world,
    options,
    bot,
    calls,
    telegram,
    fakeService,
    gateway,
    lookUps,
    /** Orders whose jobs are followed. */
    watched,
    managed: core.accounts,
    parts,
    stopping,
    handle,
    message,
    send: (content: Partial<Message>, from = ANN) => handle({ message: message(content, from) as never }),
    say: (text: string, from = ANN, more: Partial<Message> = {}) =>
      handle({ message: message({ text, ...commandEntity(text), ...more }, from) as never }),
    edit: (messageId: number, text: string) =>
      handle({ edited_message: message({ message_id: messageId, text }) as never }),
    tap,
    card,
    /** Taps a button of the card that Ann composes, by the beginning of its label. */
    async press(label: string, more: Partial<Message> = {}) {
      const data = [...telegram.buttons()].find(([text]) => text.startsWith(label))?.[1];
      if (data === undefined) throw new Error(`no button ${label}`);
      await tap(data, card(more.chat?.id)?.messageId ?? 0, ANN, more);
    },
    said: () => telegram.said(),
    toldTo: (chatId: number) => telegram.toldTo(chatId),
    /** The texts of the answers to callback queries; undefined for an answer without words. */
    answered: () => telegram.payloadsOf("answerCallbackQuery").map(({ text }) => text),
    buttons: () => telegram.buttons(),
    labels: () => [...telegram.buttons().keys()],
  };
}

/** The modules where accounts are managed here. */
export function managedOf(bot: BotModules): ManagedBot {
  if (!isManaged(bot)) throw new Error("accounts are elsewhere");
  return bot;
}

function commandEntity(text: string): Partial<Message> {
  const command = /^\/\w+(?:@\w+)?/.exec(text)?.[0];
  return command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {};
}
