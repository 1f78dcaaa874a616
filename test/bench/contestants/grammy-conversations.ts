import { join } from "node:path";
import {
  type Conversation,
  type ConversationFlavor,
  conversations,
  createConversation,
} from "@grammyjs/conversations";
import { run, sequentialize } from "@grammyjs/runner";
import Sqlite from "better-sqlite3";
import { Bot, type Context } from "grammy";
import { CARD, COUNTS, FORMAT_LIST, MODELS, type Screen, SIZES } from "./screens.js";

/** The steps of the wizard as a grammY conversation whose state is kept in SQLite. */
type WizardContext = ConversationFlavor<Context>;

const { TELEGRAM_API_ROOT: apiRoot = "", BOT_TOKEN: token = "", DATA_DIR = "" } = process.env;

const database = new Sqlite(join(DATA_DIR, "conversations.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec("CREATE TABLE conversation (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID");
const select = database.prepare<[string], string>("SELECT state FROM conversation WHERE key = ?").pluck();
const save = database.prepare("INSERT OR REPLACE INTO conversation VALUES (?, ?)");
const remove = database.prepare("DELETE FROM conversation WHERE key = ?");

async function wizard(conversation: Conversation<WizardContext, Context>, ctx: Context): Promise<void> {
  await ctx.reply(MODELS.text, { parse_mode: "HTML", reply_markup: MODELS.reply_markup });
  for (const screen of [CARD, SIZES, CARD, FORMAT_LIST, CARD, COUNTS, CARD]) {
    const tap = await conversation.waitFor("callback_query:data");
    await show(tap, screen);
  }
  const described = await conversation.waitFor("message:text");
  await described.reply(CARD.text, { parse_mode: "HTML", reply_markup: CARD.reply_markup });
}

async function show(ctx: Context, { text, reply_markup }: Screen): Promise<void> {
  await Promise.all([
    ctx.answerCallbackQuery(),
    ctx.editMessageText(text, { parse_mode: "HTML", reply_markup }),
  ]);
}

const bot = new Bot<WizardContext>(token, { client: { apiRoot } });
bot.use(sequentialize((ctx) => String(ctx.chatId)));
bot.use(
  conversations<WizardContext, Context>({
    storage: {
      type: "key",
      adapter: {
        read: (key) => {
          const state = select.get(key);
          return state === undefined ? undefined : JSON.parse(state);
        },
        write: (key, state) => void save.run(key, JSON.stringify(state)),
        delete: (key) => void remove.run(key),
      },
    },
  }),
);
bot.use(createConversation(wizard, "image"));
bot.command("image", (ctx) => ctx.conversation.enter("image"));
process.on("SIGTERM", () => process.exit(0));
run(bot);
