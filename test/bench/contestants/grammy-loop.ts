import { join } from "node:path";
import { createConcurrentSink, createRunner, createSource, sequentialize } from "@grammyjs/runner";
import Sqlite from "better-sqlite3";
import { Bot, Context } from "grammy";
import type { Update } from "grammy/types";
import { directCalls } from "../../../src/bot/telegram/direct-calls.js";
import { openConnections } from "../../../src/bot/telegram/fetch.js";
import { EVERYTHING } from "./screens.js";

/**
 * The least that keeps what a wizard promises: grammY and its runner with the service's own calls, each update
 * committed before it is handled, a draft's row changed by each tap, and the calls that the service makes. No
 * people, no prices, no texts, no cards: every screen is one and the same.
 */
const { TELEGRAM_API_ROOT: apiRoot = "", BOT_TOKEN: token = "", DATA_DIR = "" } = process.env;
const CONCURRENCY = 64;
const CHATS = 300;

const database = new Sqlite(join(DATA_DIR, "least.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
  CREATE TABLE inbox (update_id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL) STRICT;
  CREATE TABLE pending (update_id INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;
  CREATE TABLE draft (chat_id INTEGER PRIMARY KEY, parameters TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;`);
const PARAMETERS = JSON.stringify({ aspect_ratio: "16:9", resolution: "2K", count: 3 });
for (let chat = 1; chat <= CHATS; chat += 1)
  database.prepare("INSERT INTO draft VALUES (?, ?, 0)").run(chat, PARAMETERS);
const remember = database.prepare("INSERT INTO inbox VALUES (?, ?)");
const keep = database.prepare("INSERT INTO pending VALUES (?, ?)");
const finish = database.prepare("DELETE FROM pending WHERE update_id = ?");
const change = database.prepare("UPDATE draft SET parameters = ?, revision = revision + 1 WHERE chat_id = ?");

let waiting: { work: () => void; resolve: () => void }[] = [];
const commit = database.transaction((batch: typeof waiting) => {
  for (const { work } of batch) work();
});

/** Resolves after the commit that all writes of a turn share. */
function write(work: () => void): Promise<void> {
  return new Promise((resolve) => {
    waiting.push({ work, resolve });
    if (waiting.length > 1) return;
    setImmediate(() => {
      const batch = waiting;
      waiting = [];
      commit.immediate(batch);
      for (const item of batch) item.resolve();
    });
  });
}

const connections = openConnections();
const bot = new Bot(token, { client: { apiRoot } });
bot.api.config.use(directCalls({ connections, apiRoot, token, timeoutMs: 120_000 }));
const cards = new Map<number, number>();
const screen = { parse_mode: "HTML" as const, reply_markup: EVERYTHING.reply_markup };

bot.use(
  sequentialize(({ chatId }) => String(chatId)),
  async (ctx) => {
    const chatId = ctx.chatId ?? 0;
    if (ctx.callbackQuery) {
      void ctx.api.answerCallbackQuery(ctx.callbackQuery.id);
      await write(() => change.run(PARAMETERS, chatId));
      await ctx.api.editMessageText(chatId, ctx.msgId ?? 0, EVERYTHING.text, screen);
      return;
    }
    await write(() => change.run(PARAMETERS, chatId));
    const { message_id } = await ctx.api.sendMessage(chatId, EVERYTHING.text, screen);
    const old = cards.get(chatId);
    cards.set(chatId, message_id);
    if (old !== undefined) await ctx.api.deleteMessage(chatId, old);
  },
);

let offset = 0;
async function supply(): Promise<Update[]> {
  const updates = await bot.api.getUpdates({ offset, limit: 100, timeout: 30 });
  await write(() => {
    for (const update of updates) {
      remember.run(update.update_id, Date.now());
      keep.run(update.update_id, JSON.stringify(update));
    }
  });
  offset = (updates.at(-1)?.update_id ?? offset - 1) + 1;
  return updates;
}

await bot.init();
const handle = bot.middleware();
async function consume(update: Update): Promise<void> {
  await handle(new Context(update, bot.api, bot.botInfo), () => Promise.resolve());
  void write(() => finish.run(update.update_id));
}

process.on("SIGTERM", () => process.exit(0));
const fail = (error: unknown) => Promise.reject(error);
const sink = createConcurrentSink<Update>({ consume }, fail, { concurrency: CONCURRENCY });
createRunner(createSource({ supply }), sink).start();
