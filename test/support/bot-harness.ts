import { Readable } from "node:stream";
import { Api, BotError } from "grammy";
import type { InlineKeyboardMarkup, Message, Update, UserFromGetMe } from "grammy/types";
import { createBot } from "../../src/bot/bot.js";
import { Access } from "../../src/bot/middleware/access.js";
import { type BotOptions, createParts } from "../../src/bot/parts.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import type { AccountAdmin } from "../../src/ports/admin.js";
import type { Gateway, Gateways } from "../../src/ports/gateway.js";
import type { JobFeed } from "../../src/ports/job-feed.js";
import type { Service } from "../../src/ports/service.js";
import { type BotWorld, openBotWorld } from "./bot-world.js";
import { catalogue } from "./core.js";
import { texts } from "./drafts.js";
import { silentLogger } from "./log.js";

const TOKEN = "1:token";
export const ANN = { id: 7, is_bot: false as const, first_name: "Ann", language_code: "en" };
export const ADMIN_ID = 9;

/** A call of the bot, as the transformers saw it. */
export interface ApiCall {
  method: string;
  payload: Record<string, unknown>;
}

type BotService = Pick<Service, "admin" | "keys">;

interface HarnessOptions {
  /** In place of the methods of a gateway that takes everything. */
  gateway: Partial<Gateway>;
  submitIsExactlyOnce: boolean;
  jobFeed: JobFeed;
  /** Of an earlier harness, for a restart. */
  world: BotWorld;
}

/** The bot without Telegram: updates go in by hand, and its calls are recorded and succeed. */
export function openBotHarness({
  admin,
  keys,
  gateway: replaced,
  submitIsExactlyOnce = true,
  jobFeed = { watch: () => () => {} },
  world = openBotWorld(),
  ...change
}: Partial<BotOptions & BotService & HarnessOptions> = {}) {
  const calls: ApiCall[] = [];
  const api = new Api(TOKEN);
  let lastId = 1000;
  api.config.use(async (_prev, method, payload) => {
    calls.push({ method, payload: payload as Record<string, unknown> });
    lastId += 1;
    const isMessage = method === "sendMessage" || method.startsWith("edit");
    const chat = { id: (payload as { chat_id?: number }).chat_id, type: "private" };
    const result = isMessage ? { message_id: lastId, date: 1, chat } : resultOf(method, payload);
    return { ok: true, result } as never;
  });
  const gateway = { ...gatewayOf(catalogue.models), ...replaced };
  const gateways: Gateways = {
    of: async () => gateway,
    submitIsExactlyOnce,
  };
  const options: BotOptions = {
    token: TOKEN,
    apiRoot: "http://telegram.invalid",
    database: world.database,
    service: { gateways, jobFeed, admin, keys },
    apiUrl: "https://api.example/v1",
    texts,
    examplesDirectory: "data/examples",
    adminIds: [ADMIN_ID],
    allowedUsers: [],
    supportContact: "@help",
    refundsFailedJobs: true,
    clock: world.clock,
    ids: systemIds,
    logger: silentLogger(),
    failPoint: noFailPoint,
    spool: world.spool,
    ...change,
  };
  const connections = {
    fetch: () => Promise.reject(new Error("no network")),
    download: async () => Readable.from([Buffer.from("picture")]),
    close: async () => {},
  };
  const parts = createParts(options, { api, plainApi: api, connections });
  const access = new Access(options.allowedUsers, parts.adminIds);
  const stopping = new AbortController();
  const bot = createBot({ ...parts, api, botInfo: BOT, access, stopping: stopping.signal });

  /** Passes an update to the bot as the inbox does. */
  const handle = async (update: Omit<Update, "update_id">) => {
    lastId += 1;
    try {
      await bot.handleUpdate({ update_id: lastId, ...update });
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      await bot.errorHandler(error);
    }
  };
  const message = (content: Partial<Message>, from = ANN) => {
    lastId += 1;
    const chat = { id: from.id, type: "private", first_name: from.first_name };
    return { message_id: lastId, date: 1, from, chat, ...content } as Message & Update["message"];
  };
  return {
    ...world,
    bot,
    calls,
    gateway,
    parts,
    stopping,
    handle,
    message,
    send: (content: Partial<Message>, from = ANN) => handle({ message: message(content, from) as never }),
    say: (text: string, from = ANN, more: Partial<Message> = {}) =>
      handle({ message: message({ text, ...commandEntity(text), ...more }, from) as never }),
    edit: (messageId: number, text: string) =>
      handle({ edited_message: message({ message_id: messageId, text }) as never }),
    tap: (data: string, messageId = lastId, from = ANN, more: Partial<Message> = {}) =>
      handle({
        callback_query: {
          id: String(lastId),
          from,
          chat_instance: "1",
          data,
          message: message({ message_id: messageId, ...more }, from) as never,
        },
      }),
    /** The texts that were sent or edited into messages, in order. */
    said: () =>
      calls.filter(({ method }) => /^(?:send|edit)Message/.test(method)).map(({ payload }) => payload.text),
    /** The texts of the answers to callback queries; undefined for an answer without words. */
    answered: () =>
      calls.filter(({ method }) => method === "answerCallbackQuery").map(({ payload }) => payload.text),
    /** The callback data of the last keyboard, by what stands on the button. */
    buttons: () => buttonsOf(calls),
  };
}

const BOT = {
  id: 1,
  is_bot: true,
  first_name: "Atelier",
  username: "atelier_bot",
  can_join_groups: true,
  can_read_all_group_messages: true,
} as UserFromGetMe;

function gatewayOf(models: Awaited<ReturnType<Gateway["models"]>>): Gateway {
  return {
    balance: async () => ({ currency: "RUB", amount: 500 }),
    models: async () => models,
    submit: async () => ({ job_ids: [5] }) as never,
    job: () => Promise.reject(new Error("no job")),
    results: async () => [],
    refundLost: async () => 0,
    async publishReference({ stream }) {
      stream.resume();
      return "https://files.example/picture.png";
    },
  };
}

function resultOf(method: string, payload: object): unknown {
  if (method === "sendPhoto") return { photo: [{ file_id: "photo" }] };
  if (method === "sendMediaGroup") {
    const { media } = payload as { media: unknown[] };
    return media.map((_item, index) => ({ photo: [{ file_id: `photo-${index}` }] }));
  }
  return method === "getFile" ? { file_id: "f", file_unique_id: "u", file_path: "photos/1.png" } : true;
}

function commandEntity(text: string): Partial<Message> {
  const command = /^\/\w+(?:@\w+)?/.exec(text)?.[0];
  return command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {};
}

function buttonsOf(calls: readonly ApiCall[]): ReadonlyMap<string, string> {
  const keyboards = calls.flatMap(({ payload }) => {
    const markup = payload.reply_markup as Partial<InlineKeyboardMarkup> | undefined;
    return markup?.inline_keyboard ? [markup.inline_keyboard.flat()] : [];
  });
  const last = keyboards.at(-1) ?? [];
  return new Map(
    last.map((button) => [button.text, "callback_data" in button ? (button.callback_data ?? "") : ""]),
  );
}

/** An account service that knows everybody and takes every correction. */
export function recordingAdmin(): AccountAdmin & { corrections: unknown[] } {
  const corrections: unknown[] = [];
  const correct = async (correction: unknown) => {
    corrections.push(correction);
    return { outcome: "done", balanceKopecks: 600_00 } as const;
  };
  return {
    corrections,
    credit: correct,
    debit: correct,
    ensure: async () => {},
    correctionMade: async () => undefined,
    balanceOf: async () => 250_00,
  };
}
