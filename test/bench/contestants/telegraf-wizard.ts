import { Agent } from "node:http";
import { Scenes, session, Telegraf } from "telegraf";
import { CARD, COUNTS, FORMAT_LIST, MODELS, type Screen, SIZES } from "./screens.js";

/** The steps of the wizard as a Telegraf WizardScene with its state in memory. */
const { TELEGRAM_API_ROOT = "", BOT_TOKEN = "" } = process.env;

async function show(ctx: Scenes.WizardContext, { text, reply_markup }: Screen): Promise<void> {
  await Promise.all([ctx.answerCbQuery(), ctx.editMessageText(text, { parse_mode: "HTML", reply_markup })]);
}

/** A step that a tap ends, with the screen that the tap leads to. */
function tapStep(next: Screen) {
  return async (ctx: Scenes.WizardContext): Promise<void> => {
    if (!ctx.callbackQuery) return;
    await show(ctx, next);
    ctx.wizard.next();
  };
}

const wizard = new Scenes.WizardScene<Scenes.WizardContext>(
  "image",
  async (ctx) => {
    await ctx.reply(MODELS.text, { parse_mode: "HTML", reply_markup: MODELS.reply_markup });
    ctx.wizard.next();
  },
  ...[CARD, SIZES, CARD, FORMAT_LIST, CARD, COUNTS, CARD].map(tapStep),
  async (ctx) => {
    await ctx.reply(CARD.text, { parse_mode: "HTML", reply_markup: CARD.reply_markup });
    await ctx.scene.leave();
  },
);

// Telegraf keeps connections alive only towards https, as Telegram's own server is; written in capitals, the
// scheme passes its check, and the agent that it would have there is kept.
const bot = new Telegraf<Scenes.WizardContext>(BOT_TOKEN, {
  telegram: {
    apiRoot: TELEGRAM_API_ROOT.replace("http:", "HTTP:"),
    agent: new Agent({ keepAlive: true, keepAliveMsecs: 10_000 }),
  },
});
const stage = new Scenes.Stage<Scenes.WizardContext>([wizard]);
bot.use(session());
bot.use(stage.middleware());
bot.command("image", (ctx) => ctx.scene.enter("image"));
process.on("SIGTERM", () => process.exit(0));
await bot.launch();
