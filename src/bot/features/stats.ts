import { Readable } from "node:stream";
import { Composer, InlineKeyboard, InputMediaBuilder } from "grammy";
import type { Kopecks } from "../../contract/price.js";
import type { Summary } from "../../jobs/margin-report.js";
import { leftIn, marginIn, readSummary } from "../../jobs/margin-report.js";
import type { Period } from "../../platform/clock.js";
import { DAY_MS, HOUR_MS } from "../../platform/units.js";
import { dayInZone, dayStart } from "../../platform/zoned-time.js";
import type { MoneyIn } from "../../tills/payment-book.js";
import type { Chart } from "../../workers/chart-process.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { countPeople, type PeopleCount } from "../people/people.js";
import { type Screen, sendScreen, shownAs } from "../screens.js";
import { buttonData, oneOf } from "../telegram/button-data.js";
import { uploadOf } from "../telegram/files.js";
import { answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import { cutText, escapeHtml } from "../texts/html.js";
import { localTimeHtml } from "../texts/moment.js";
import { type Language, shownTitle, tillName } from "../texts/texts.js";

const SPANS = ["today", "week", "month"] as const;
type StatsSpan = (typeof SPANS)[number];

/** `st:<span>` */
const statsData = buttonData("st", [oneOf("span", SPANS)]);

/** Bounds the lists, so that all fits under a picture: Telegram takes 1024 characters there. */
const FAILURES_TOLD = 3;
const TILLS_TOLD = 2;
const NAME_LENGTH_MAX = 28;

interface ToldStats {
  span: StatsSpan;
  period: Period;
  people: PeopleCount;
  summary: Summary;
  /** What the bot has at Telegram; undefined where nobody knows. */
  stars: number | undefined;
}

/** Writes the figures of a period as HTML: first the real money that came in, then what was given and sold. */
export function statsText({ span, period, people, summary, stars }: ToldStats, language: Language): string {
  const { t, money } = language;
  const since = (at: number) => localTimeHtml(at, language);
  const { whole, parts, moneyIn, queue } = summary;
  const highest = Math.max(0, ...parts.map(({ income }) => income));
  const known = (kopecks: Kopecks | null) => (kopecks === null ? t("stats-unknown") : money(kopecks));
  const paidBy = (name: string, { paid, returned }: Pick<MoneyIn, "paid" | "returned">) =>
    t("stats-paid", {
      by: escapeHtml(name),
      paid: money(paid),
      returned: money(returned),
      hasReturned: returned === 0 ? 0 : 1,
    });
  const { tills, gifts, rewards, corrections } = moneyIn;
  const isGiven = [gifts, rewards, corrections].some((kopecks) => kopecks !== 0);
  const given = { gifts: money(gifts), rewards: money(rewards), corrections: money(corrections) };
  const failed = whole.failures.slice(0, FAILURES_TOLD).map(({ title, failure, jobs }) => {
    const model = escapeHtml(cutText(shownTitle(title, language), NAME_LENGTH_MAX));
    return t("stats-failure", { model, reason: t("stats-reason", { reason: failure }), jobs });
  });
  return [
    t("stats-title", { span, since: since(period.from) }),
    "",
    ...(tills.length === 1 ? [] : [paidBy("none", moneyIn)]),
    ...tills
      .slice(0, TILLS_TOLD)
      .map((till) => paidBy(tillName(cutText(till.till, NAME_LENGTH_MAX), language), till)),
    ...(stars === undefined ? [] : [t("stats-stars", { stars })]),
    ...(isGiven ? [t("stats-given", given)] : []),
    t("stats-people", { fresh: people.fresh, returning: people.returning }),
    t("stats-orders", { orders: whole.orders, buyers: whole.buyers }),
    t("stats-income", { income: money(whole.income), refunds: money(whole.refunds) }),
    t("stats-margin", { cost: known(whole.cost), margin: known(marginIn(whole)) }),
    t("stats-left", { left: known(leftIn(moneyIn, whole)) }),
    t("stats-queue", { waiting: queue.waiting, generating: queue.generating }),
    ...(queue.oldestAt === null ? [] : [t("stats-oldest", { since: since(queue.oldestAt) })]),
    ...(failed.length === 0 ? [] : ["", t("stats-failures"), ...failed]),
    ...(highest === 0 ? [] : ["", t("stats-chart", { span, highest: money(highest) })]),
  ].join("\n");
}

const DAYS: Readonly<Record<Exclude<StatsSpan, "today">, number>> = { week: 7, month: 30 };

/**
 * Returns the period of a span, up to the present millisecond, and those of the columns of its chart: the hours of today,
 * which begins at midnight of the zone, or days of 24 hours, as those of `ctl stats --days`.
 */
export function periodsOf(span: StatsSpan, now: number, zone: string) {
  const until = now + 1;
  const from = span === "today" ? dayStart(now, zone) : now - DAYS[span] * DAY_MS;
  const partMs = span === "today" ? HOUR_MS : DAY_MS;
  const count = Math.ceil((now - from) / partMs) || 1;
  const parts = Array.from(
    { length: count },
    (_, index): Period => ({
      from: from + index * partMs,
      until: index === count - 1 ? until : from + (index + 1) * partMs,
    }),
  );
  return { whole: { from, until } as Period, parts };
}

interface StatsScreen extends Screen {
  /** Absent where it could not be drawn. */
  picture: Uint8Array | undefined;
}

/** Handles `/stats`, for admins in their private chats: what was sold today, in 7 and in 30 days. */
export function statsFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("stats", ownWordsOnly, async (ctx) => {
    const screen = await screenOf("today", bot, ctx.language);
    if (!screen.picture) return sendScreen(ctx, screen);
    await ctx.replyWithPhoto(pictureFile(screen.picture), { caption: screen.text, ...shownAs(screen) });
  });
  forAdmins.use(
    taps(statsData, async (ctx, { span }) => {
      const shown = screenOf(span, bot, ctx.language).then((screen) => editOrIgnore(edit(ctx, screen)));
      await Promise.all([answerTap(ctx), shown]);
    }),
  );
  return { adminCommands: ["stats"], composer };
}

async function screenOf(span: StatsSpan, bot: ManagedBot, language: Language): Promise<StatsScreen> {
  const { database, zone, drawChart, botPayments, clock, logger } = bot;
  const { whole: period, parts } = periodsOf(span, clock.now(), zone);
  const asked = botPayments.starBalance();
  const summary = await readSummary(database, bot.accounts.rates(), period, parts);
  const people = await countPeople(database, period);
  const picture = await drawChart(chartOf(span, parts, summary, zone)).catch((error: unknown) => {
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

/** Columns from one label to the next. */
const LABEL_EVERY: Readonly<Record<StatsSpan, number>> = { today: 6, week: 1, month: 5 };
const HOURS = 24;

/** Today has a place for each hour, also for those to come. */
function chartOf(span: StatsSpan, periods: readonly Period[], { parts }: Summary, zone: string): Chart {
  const highest = Math.max(0, ...parts.map(({ income }) => income));
  const count = span === "today" ? Math.max(HOURS, parts.length) : parts.length;
  const columns = Array.from({ length: count }, (_, index) => {
    const { income = 0, refunds = 0 } = parts[index] ?? {};
    // The day that has most of the 24 hours.
    const middle = (periods[index]?.from ?? 0) + DAY_MS / 2;
    const label = span === "today" ? index : Number(dayInZone(middle, zone).slice(-2));
    return { value: income, marked: refunds, label: index % LABEL_EVERY[span] === 0 ? `${label}` : "" };
  });
  return { highest: `${Math.round(highest / 100)}`, columns };
}

/** Changes the message as what it is: one with a picture stays one. */
function edit(ctx: BotContext, screen: StatsScreen): Promise<unknown> {
  const { text, picture } = screen;
  const { parse_mode, ...buttons } = shownAs(screen);
  if (!ctx.callbackQuery?.message?.photo) return ctx.editMessageText(text, { parse_mode, ...buttons });
  if (!picture) return ctx.editMessageCaption({ caption: text, parse_mode, ...buttons });
  const media = InputMediaBuilder.photo(pictureFile(picture), { caption: text, parse_mode });
  return ctx.editMessageMedia(media, buttons);
}

function pictureFile(picture: Uint8Array) {
  return uploadOf(async () => Readable.from([picture]), "stats.png");
}
