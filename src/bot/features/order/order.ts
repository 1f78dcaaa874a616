import { type Api, type CommandContext, Composer, GrammyError, type NextFunction } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { Admins } from "../../../ports/admins.js";
import type { Audit } from "../../../ports/audit.js";
import type { OrderRecords } from "../../../ports/order-records.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import { FileSender } from "../../orders/delivery/file-sender.js";
import type { NumberedOrders } from "../../orders/store/numbered-orders.js";
import type { Order } from "../../orders/store/order.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import { actorName } from "../../people/actor-name.js";
import type { People } from "../../people/people.js";
import { sendNotice } from "../../people/send-notice.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap, isRepeated } from "../../telegram/tap-answers.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import type { Language, Texts } from "../../texts/texts.js";
import { readOrderRef } from "../uncertain-orders/order-ref.js";
import {
  filesAtTelegram,
  type OrderScreen,
  orderScreen,
  refundScreen,
  type ScreenFacts,
  subjectOfOrder,
} from "./order-screen.js";
import { type StoryData, storyData } from "./story-data.js";

const WORD_SHOWN = 60;

export interface OrderDeps {
  api: Api;
  people: People;
  texts: Texts;
  orders: Pick<OrderStore, "find" | "uncertain">;
  numbered: NumberedOrders;
  orderRecords: OrderRecords;
  audit: Pick<Audit, "record">;
  accountIdOf: (userId: number) => number | null;
  adminIds: Admins;
  logger: Logger;
}

/** Handles `/order NUMBER` and `/refund NUMBER`, for admins in their private chats: an order's story, its files, its refund. */
export function orderFeature(deps: OrderDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("order", ownWordsOnly, (ctx, next) => answer(ctx, next, deps));
  forAdmins.command("refund", ownWordsOnly, (ctx) => answerRefund(ctx, deps));
  forAdmins.use(taps(storyData, (ctx, data) => act(ctx, data, deps)));
  return { name: "order", adminCommands: ["order"], callbackPrefixes: [storyData.prefix], composer };
}

/** Passes on what is about the list of unconfirmed orders: no number, or ids of jobs after it. */
async function answer(ctx: CommandContext<BotContext>, next: NextFunction, deps: OrderDeps): Promise<void> {
  const ref = readOrderRef(ctx.match);
  if (ctx.match.trim() === "" || ("jobs" in ref && ref.jobs !== "")) return next();
  const order = orderOfRef(ref, deps);
  if (!order)
    return void (await ctx.reply(ctx.language.t("order-unknown", { word: cutText(ref.word, WORD_SHOWN) })));
  const { text, keyboard } = orderScreen(factsOf(order, ctx.language, deps), ctx.language);
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
}

/** Asks whether the money of an order is to be returned. What names a payment was answered before. */
async function answerRefund(ctx: CommandContext<BotContext>, deps: OrderDeps): Promise<void> {
  const ref = readOrderRef(ctx.match);
  const order = orderOfRef(ref, deps);
  if (order) {
    const { text, keyboard } = askScreen(factsOf(order, ctx.language, deps), ctx.language);
    return void (await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard }));
  }
  await ctx.reply(ctx.language.t("payment-refund-unknown"));
}

function orderOfRef(
  ref: ReturnType<typeof readOrderRef>,
  { numbered, orders }: OrderDeps,
): Order | undefined {
  if ("number" in ref) return numbered.find(ref.number);
  return "orderId" in ref ? orders.find(ref.orderId) : undefined;
}

function askScreen(facts: ScreenFacts, language: Language): OrderScreen {
  return facts.record.refundableKopecks > 0 ? refundScreen(facts, language) : orderScreen(facts, language);
}

async function act(ctx: BotContext, { action, number }: StoryData, deps: OrderDeps): Promise<void> {
  const order = deps.numbered.find(number);
  if (!order) return answerTap(ctx, ctx.language.t("order-gone"));
  if (isRepeated(ctx)) return answerTap(ctx);
  const facts = factsOf(order, ctx.language, deps);
  switch (action) {
    case "show":
      return void (await Promise.all([answerTap(ctx), edit(ctx, orderScreen(facts, ctx.language))]));
    case "ask":
      return void (await Promise.all([answerTap(ctx), edit(ctx, askScreen(facts, ctx.language))]));
    case "files":
      return sendFiles(ctx, facts, deps);
    case "refund":
      return refund(ctx, order, deps);
  }
}

/** Sends the files once more, to the admin. That somebody looked at them is recorded first. */
async function sendFiles(ctx: BotContext, facts: ScreenFacts, deps: OrderDeps): Promise<void> {
  const { order } = facts;
  await answerTap(ctx);
  const nothing = { before: null, after: null, reason: null };
  const accountId = deps.accountIdOf(order.userId);
  const actor = `telegram:${ctx.person.id}`;
  await deps.audit.record({ actor, act: "see-files", accountId, subject: subjectOfOrder(order), ...nothing });
  // Nothing is uploaded: Telegram has these files.
  const sender = new FileSender(deps.api, 0);
  const place = { chatId: ctx.person.id, threadId: null, modelTitle: order.modelTitle };
  try {
    for (const file of filesAtTelegram(facts))
      await sender.send({ order: place, files: [file], caption: undefined, keyboard: undefined });
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    deps.logger.info({ order_id: order.id, err: error }, "files of an order not sent to an admin");
    await ctx.reply(ctx.language.t("story-files-gone"));
  }
}

async function refund(ctx: BotContext, order: Order, deps: OrderDeps): Promise<void> {
  const { t, money } = ctx.language;
  const actor = `telegram:${ctx.person.id}`;
  const { userId, id: orderId } = order;
  const outcome = await deps.orderRecords.refund({ userId, orderId, actor, reason: null });
  const words = t(`refund-${outcome.kind}`, {
    sum: "kopecks" in outcome ? money(outcome.kopecks) : "",
  });
  await Promise.all([
    answerTap(ctx, words),
    edit(ctx, orderScreen(factsOf(order, ctx.language, deps), ctx.language)),
  ]);
  const person = deps.people.find(userId);
  if (outcome.kind !== "done" || !person) return;
  const language = deps.texts.in(person.locale);
  const told = language.t("told-refund", {
    sum: language.money(outcome.kopecks),
    model: escapeHtml(order.modelTitle),
    number: String(order.number),
    balance: language.money(outcome.balanceKopecks),
  });
  if (!(await sendNotice(person, told, deps))) await ctx.reply(t("correction-untold"));
}

function factsOf(
  order: Order,
  language: Language,
  { numbered, orderRecords, orders, people }: OrderDeps,
): ScreenFacts {
  return {
    order: orders.find(order.id) ?? order,
    record: orderRecords.of(order.userId, order.id),
    delivery: numbered.deliveryOf(order.id),
    actorOf: (actor) => actorName(actor, people, language),
    uncertain: order.state === "uncertain" ? orders.uncertain.findByOrder(order.id) : undefined,
  };
}

function edit(ctx: BotContext, { text, keyboard }: OrderScreen): Promise<void> {
  return editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard }));
}
