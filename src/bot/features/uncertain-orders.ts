import { type CommandContext, Composer, InlineKeyboard } from "grammy";
import { areElsewhere } from "../../service/accounts.js";
import type { BotContext } from "../context.js";
import { ask, type Question, questionDialog } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly, privateOnly, taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import {
  adminScreen,
  doubtScreen,
  jobsExpected,
  type UncertainData,
  uncertainData,
} from "../orders/uncertain-orders.js";
import type { UncertainOrder, UncertainStore } from "../orders/uncertain-store.js";
import { editScreen, type Screen, sendScreen, turnTo } from "../screens.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap } from "../telegram/tap-answers.js";
import { quotedWord } from "../texts/html.js";
import type { Language } from "../texts/texts.js";

/** What a text names an order by: its number, or its whole id. `jobs`: what follows, the ids of its jobs. */
export interface OrderRef {
  word: string;
  jobs: string;
  number?: number;
  orderId?: string;
}

/** Reads the number of an order, with or without `#` or `№`, or the whole id that the log has. */
export function readOrderRef(text: string): OrderRef {
  const [word = "", ...rest] = text.trim().split(/\s+/);
  const jobs = rest.join(" ");
  const [, digits] = /^[#№]?(\d{1,9})$/.exec(word) ?? [];
  if (digits !== undefined) return { word, jobs, number: Number(digits) };
  return /^[\w-]{16}$/.test(word) ? { word, jobs, orderId: word } : { word, jobs: "" };
}

const PAGE_SIZE = 8;

/** Shows a page of the open orders, newest first. A page that no longer exists shows the last one. */
function listScreen(
  uncertain: Pick<UncertainStore, "open" | "countOpen">,
  wanted: number,
  language: Language,
): Screen {
  const { t } = language;
  const count = uncertain.countOpen();
  const keyboard = new InlineKeyboard();
  if (count === 0) return { text: t("orders-none") };
  const pages = Math.ceil(count / PAGE_SIZE);
  const page = Math.min(wanted, pages - 1);
  for (const record of uncertain.open(page * PAGE_SIZE, PAGE_SIZE)) {
    const show = uncertainData.encode({ action: "show", number: record.number });
    const { quotedKopecks, modelTitle, userName } = record.order;
    const words = [record.number, language.money(quotedKopecks), modelTitle, userName];
    keyboard.text(words.join(" · "), show).row();
  }
  if (page > 0) keyboard.text("‹", uncertainData.encode({ action: "list", number: page - 1 }));
  if (page < pages - 1) keyboard.text("›", uncertainData.encode({ action: "list", number: page + 1 }));
  return { text: t("orders-open", { count }), keyboard };
}

const JOB_IDS: Question<{ number: number }> = { name: "job-id" };

/** Handles `/orders` and `/order NUMBER`: orders of unknown outcome, for admins in their private chats. */
export function ordersFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(isAdmin(bot.adminIds));
  forAdmins.command(["orders", "order"], ownWordsOnly, privateOnly("admin-private-only"), (ctx) =>
    answerCommand(ctx, bot),
  );
  forAdmins.filter(isPrivate).use(taps(uncertainData, (ctx, data) => answerButton(ctx, data, bot)));
  // Here each submission has a known outcome.
  const adminCommands = areElsewhere(bot.accounts) ? ["orders"] : [];
  const jobIds = questionDialog(JOB_IDS, {
    async take(ctx, { number }) {
      if (!bot.adminIds.has(ctx.person.id)) return { kind: "gone" };
      if (ctx.message?.text === undefined) return { kind: "passed" };
      const record = bot.orders.uncertain.find(number);
      // Another admin may have settled it while this one was typing: only `/order NUMBER JOB_ID` takes that back.
      const ids = record?.order.state === "uncertain" ? ctx.message.text : undefined;
      return { kind: !record || (await settleWith(ctx, record, ids, bot)) ? "over" : "refused" };
    },
  });
  return { adminCommands, questions: [jobIds], composer };
}

async function answerCommand(ctx: CommandContext<BotContext>, bot: BotModules): Promise<void> {
  const { t } = ctx.language;
  const { orders, accounts } = bot;
  if (ctx.match.trim() === "") return sendScreen(ctx, listScreen(orders.uncertain, 0, ctx.language));
  const ref = readOrderRef(ctx.match);
  const { number, orderId = "" } = ref;
  const record = number === undefined ? orders.uncertain.findByOrder(orderId) : orders.uncertain.find(number);
  if (!record) {
    const fault = number === undefined && orderId === "" ? "word" : "unknown";
    const words = t(`order-fault-${fault}`, { word: quotedWord(ref.word) });
    return void (await ctx.reply(`${words}\n\n${t("usage-order")}`));
  }
  if (ref.jobs !== "") return void (await settleWith(ctx, record, ref.jobs, bot));
  await sendScreen(ctx, adminScreen(record, ctx.language, accounts));
}

async function answerButton(ctx: BotContext, { action, number }: UncertainData, bot: BotModules) {
  const { uncertain } = bot.orders;
  // Any of the buttons leaves the question for the job id.
  await ctx.conversation.exit(JOB_IDS.name);
  if (action === "list") return turnTo(ctx, listScreen(uncertain, number, ctx.language));
  const record = uncertain.find(number);
  if (!record) return answerTap(ctx, ctx.language.t("order-gone"));
  if (action === "show") return turnTo(ctx, adminScreen(record, ctx.language, bot.accounts));
  if (record.order.state !== "uncertain") return tellSettled(ctx, number, bot);
  if (action === "charged") return ctx.tap?.isRepeated ? answerTap(ctx) : askJobIds(ctx, record);
  if (action === "not_charged") return turnTo(ctx, doubtScreen(record, ctx.language));
  const { checkout } = bot.orderService;
  if (!(await checkout.settleNotCharged(record, ctx.person.id))) return tellSettled(ctx, number, bot);
  await Promise.all([answerTap(ctx), editCurrent(ctx, number, bot)]);
}

/** Shows how the order was settled when another admin was first, or the tap is a double one. */
async function tellSettled(ctx: BotContext, number: number, bot: BotModules): Promise<void> {
  await Promise.all([answerTap(ctx, ctx.language.t("order-settled-before")), editCurrent(ctx, number, bot)]);
}

async function askJobIds(ctx: BotContext, { number, order }: UncertainOrder): Promise<void> {
  const { t } = ctx.language;
  const asked = { number: String(number), count: jobsExpected(order), type: order.request.type };
  await answerTap(ctx);
  const back = uncertainData.encode({ action: "show", number });
  await ctx.reply(t("order-ask-job", asked), {
    reply_markup: new InlineKeyboard().text(t("button-back"), back),
  });
  await ask(ctx, JOB_IDS, { number });
}

/** Settles with the ids of jobs, or without them shows how the order is settled. False when they were not taken. */
async function settleWith(
  ctx: BotContext,
  record: UncertainOrder,
  ids: string | undefined,
  { orders, orderService, accounts }: BotModules,
): Promise<boolean> {
  const { language } = ctx;
  const { uncertain } = orders;
  const { number } = record;
  const settlement =
    ids === undefined
      ? "not_uncertain"
      : await orderService.checkout.settleCharged(record, ids, ctx.person.id);
  if (typeof settlement === "object") {
    const { type } = record.order.request;
    const word = "word" in settlement ? quotedWord(settlement.word) : "";
    const example = settlement.fault === "id" ? ` ${language.t("job-example", { type })}` : "";
    await ctx.reply(language.t(`job-fault-${settlement.fault}`, { ...settlement, word, type }) + example);
    return false;
  }
  if (settlement === "not_uncertain") await ctx.reply(language.t("order-settled-before"));
  const settled = uncertain.find(number);
  if (settled) await sendScreen(ctx, adminScreen(settled, language, accounts));
  return true;
}

async function editCurrent(ctx: BotContext, number: number, { orders, accounts }: BotModules): Promise<void> {
  const record = orders.uncertain.find(number);
  if (record) await editScreen(ctx, adminScreen(record, ctx.language, accounts));
}
