import { Readable } from "node:stream";
import { Composer, InlineKeyboard, InputMediaBuilder } from "grammy";
import type { Database } from "../../../database/database.js";
import type { Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import type { Admins } from "../../../ports/admins.js";
import type { DrawChart } from "../../../ports/chart.js";
import type { Summaries } from "../../../ports/summary.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import type { BotPayments } from "../../payments/bot-payments.js";
import { countPeople } from "../../people/count-people.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { uploadOf } from "../../telegram/upload.js";
import type { Language } from "../../texts/texts.js";
import { SPANS, type StatsSpan, statsData } from "./stats-data.js";
import { periodsOf } from "./stats-periods.js";
import { statsText } from "./stats-text.js";

interface StatsDeps {
  database: Database;
  summaries: Summaries;
  adminIds: Admins;
  /** The zone in which today begins at midnight. */
  zone: string;
  drawChart: DrawChart;
  botPayments: Pick<BotPayments, "starBalance"> | undefined;
  clock: Clock;
  logger: Logger;
}

interface StatsScreen {
  text: string;
  keyboard: InlineKeyboard;
  /** Absent where it could not be drawn. */
  picture: Uint8Array | undefined;
}

/** Handles `/stats`, for admins in their private chats: what was sold today, in 7 and in 30 days. */
export function statsFeature(deps: StatsDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("stats", ownWordsOnly, async (ctx) => {
    const { text, keyboard, picture } = await screenOf("today", deps, ctx.language);
    if (picture) await ctx.replyWithPhoto(pictureFile(picture), { caption: text, reply_markup: keyboard });
    else await ctx.reply(text, { reply_markup: keyboard });
  });
  forAdmins.use(
    taps(statsData, async (ctx, { span }) => {
      const shown = screenOf(span, deps, ctx.language).then((screen) => editOrIgnore(edit(ctx, screen)));
      await Promise.all([answerTap(ctx), shown]);
    }),
  );
  return { name: "stats", adminCommands: ["stats"], callbackPrefixes: [statsData.prefix], composer };
}

async function screenOf(span: StatsSpan, deps: StatsDeps, language: Language): Promise<StatsScreen> {
  const { database, summaries, zone, drawChart, botPayments, clock, logger } = deps;
  const { whole: period, parts } = periodsOf(span, clock.now(), zone);
  const asked = botPayments?.starBalance();
  const summary = await summaries.read(period, parts);
  const people = await countPeople(database, period);
  const bars = summary.parts.map(({ income, refunds }) => ({ value: income, marked: refunds }));
  const picture = await drawChart(bars).catch((error: unknown) => {
    logger.warn({ err: error }, "chart not drawn");
    return undefined;
  });
  const keyboard = new InlineKeyboard();
  for (const one of SPANS) {
    const label = language.t("button-stats", { span: one });
    keyboard.text(one === span ? `· ${label} ·` : label, statsData.encode({ span: one }));
  }
  return {
    text: statsText({ span, period, people, summary, stars: await asked }, language),
    keyboard,
    picture,
  };
}

/** Changes the message as what it is: one with a picture stays one. */
function edit(ctx: BotContext, { text, keyboard, picture }: StatsScreen): Promise<unknown> {
  const reply_markup = keyboard;
  if (!ctx.callbackQuery?.message?.photo) return ctx.editMessageText(text, { reply_markup });
  if (!picture) return ctx.editMessageCaption({ caption: text, reply_markup });
  const media = InputMediaBuilder.photo(pictureFile(picture), { caption: text });
  return ctx.editMessageMedia(media, { reply_markup });
}

function pictureFile(picture: Uint8Array) {
  return uploadOf(async () => Readable.from([picture]), "stats.png");
}
