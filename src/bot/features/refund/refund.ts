import { type CommandContext, Composer, InlineKeyboard, type NextFunction } from "grammy";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Admins } from "../../../ports/admins.js";
import {
  type Payments,
  paymentName,
  type RefundOutcome,
  readPaymentName,
  type TakenPayment,
  type TillPayment,
} from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import type { MoneyQuestion } from "../../dialogs/money-question.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import type { NumberedOrders } from "../../orders/store/numbered-orders.js";
import type { Order } from "../../orders/store/order.js";
import type { BotPayments } from "../../payments/bot-payments.js";
import { personText } from "../../people/balance-words.js";
import type { People } from "../../people/people.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap, isRepeated } from "../../telegram/tap-answers.js";
import type { Language } from "../../texts/texts.js";
import { storyData } from "../order/story-data.js";
import { paymentLabel, sendPaymentList } from "./payment-list.js";
import {
  moneyActionsOf,
  namedSums,
  paymentQuestion,
  paymentScreen,
  type ShownPayment,
} from "./payment-screen.js";
import { type MoneyAction, paymentListData, type RefundData, refundData } from "./refund-data.js";

interface RefundDeps {
  payments: Payments;
  admin: Pick<AccountAdmin, "balanceOf" | "ensure">;
  botPayments: Pick<BotPayments, "tills" | "teller">;
  people: Pick<People, "find">;
  adminIds: Admins;
  numbered: Pick<NumberedOrders, "find">;
}

/** Handles `/refund PAYMENT`, by its name or its charge id, for admins in their private chat. */
export function refundFeature(deps: RefundDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("refund", ownWordsOnly, (ctx, next) => show(ctx, next, deps));
  forAdmins.use(taps(refundData, (ctx, data) => act(ctx, data, deps)));
  composer
    .filter(isAdmin(deps.adminIds))
    .use(taps(paymentListData, (ctx, { userId }) => sendPaymentList(ctx, userId, deps)));
  const callbackPrefixes = [refundData.prefix, paymentListData.prefix];
  return { name: "refund", adminCommands: ["refund"], callbackPrefixes, composer };
}

/** Shows a payment. A number alone may be one of an order, and is asked about where it may be either. */
async function show(ctx: CommandContext<BotContext>, next: NextFunction, deps: RefundDeps): Promise<void> {
  const { language } = ctx;
  const word = ctx.match.trim();
  if (word === "") return void (await ctx.reply(language.t("usage-refund"), { parse_mode: "HTML" }));
  const named = readPaymentName(word);
  const [, digits] = /^[#№]?(\d{1,9})$/.exec(word) ?? [];
  const number = named ?? (digits === undefined ? undefined : Number(digits));
  const byNumber = number === undefined ? undefined : deps.payments.byId(number);
  const payment = byNumber ?? deps.payments.byAnyCharge(word);
  if (!payment)
    return named === undefined ? next() : void (await ctx.reply(language.t("payment-refund-unknown")));
  const order = byNumber && named === undefined ? deps.numbered.find(byNumber.id) : undefined;
  if (order) return askWhich(ctx, payment, order);
  const { text, keyboard } = paymentScreen(await shownOf(payment, deps), language);
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
}

/** Asks which of the two a number means. Neither button moves money. */
async function askWhich(ctx: BotContext, payment: TillPayment, order: Order): Promise<void> {
  const { t, money } = ctx.language;
  const { number } = order;
  const shown = { number: String(number), sum: money(order.quotedKopecks), model: order.modelTitle };
  const keyboard = new InlineKeyboard()
    .text(paymentLabel(payment, ctx.language), refundData.encode({ paymentId: payment.id, action: "show" }))
    .row()
    .text(t("button-refund-order", shown), storyData.encode({ action: "ask", number }));
  await ctx.reply(t("refund-which", { number: String(number), payment: paymentName(payment.id) }), {
    reply_markup: keyboard,
  });
}

async function act(ctx: BotContext, data: RefundData, deps: RefundDeps): Promise<void> {
  const { language } = ctx;
  const payment = deps.payments.byId(data.paymentId);
  if (!payment) return answerTap(ctx, language.t("tap-unknown"));
  if (isRepeated(ctx)) return answerTap(ctx);
  const shown = await shownOf(payment, deps);
  if (!("what" in data)) {
    const { text, keyboard } = paymentScreen(shown, language);
    const screen = { text, keyboard: data.action === "show" ? keyboard : new InlineKeyboard() };
    return void (await Promise.all([answerTap(ctx), edit(ctx, screen)]));
  }
  const { what } = data;
  const now = namedSums(shown, what);
  const isOpen = moneyActionsOf(shown).includes(what);
  const isAsked =
    data.action === "sure" &&
    data.named.kopecks === now.kopecks &&
    data.named.owedKopecks === now.owedKopecks;
  if (isOpen && !isAsked)
    return void (await Promise.all([answerTap(ctx), edit(ctx, paymentQuestion(shown, what, language))]));
  // The call may take longer than a tap may wait.
  await answerTap(ctx);
  const words = isOpen ? await move(ctx, shown, what, deps) : closedText(shown, language);
  const after = await shownOf(deps.payments.byId(payment.id) ?? payment, deps);
  const { text, keyboard } = paymentScreen(after, language);
  await edit(ctx, { text: `${text}\n\n${words}`, keyboard });
}

function closedText({ till, payment }: ShownPayment, { t }: Language): string {
  if (!till) return t("payment-refund-no-till");
  return t(payment.state === "unmatched" ? "payment-refund-credit-nobody" : "payment-refund-closed");
}

function move(ctx: BotContext, shown: ShownPayment, what: MoneyAction, deps: RefundDeps): Promise<string> {
  return what === "credit" ? credit(ctx, shown, deps) : refund(ctx, shown, deps);
}

async function refund(
  ctx: BotContext,
  { payment, till, shares }: ShownPayment,
  { payments, botPayments }: RefundDeps,
): Promise<string> {
  if (!till) return ctx.language.t("payment-refund-no-till");
  const mayOwe = shares.some(({ owedKopecks }) => owedKopecks > 0);
  const request = { paymentId: payment.id, actor: actorOf(ctx), reason: null, mayOwe };
  const outcome = await payments.refund(request, till);
  if (outcome.kind === "refunded") await botPayments.teller.tellRefund(outcome.payment, outcome.owedKopecks);
  return outcomeText(outcome, ctx);
}

function outcomeText(outcome: RefundOutcome, { language: { t } }: BotContext): string {
  switch (outcome.kind) {
    case "refunded":
    case "settled":
      return t("payment-refund-done");
    case "pending":
      return t("payment-refund-pending");
    case "refused":
      return t(`payment-refund-refused-${outcome.reason}`);
    case "too_large":
      return t("payment-refund-too-large");
    case "closed":
    case "unknown":
      return t("payment-refund-closed");
  }
}

/** Credits a held payment to who paid, at the price of today. */
async function credit(
  ctx: BotContext,
  { payment, worthKopecks: kopecks }: ShownPayment,
  deps: RefundDeps,
): Promise<string> {
  const { t } = ctx.language;
  const { userId } = payment;
  const person = userId === null ? undefined : deps.people.find(userId);
  if (userId === null || kopecks === undefined || !person) return t("payment-refund-credit-nobody");
  await deps.admin.ensure(person);
  const credited: TakenPayment | undefined = await deps.payments.creditHeld({
    paymentId: payment.id,
    userId,
    kopecks,
    actor: actorOf(ctx),
  });
  if (credited?.kind !== "credited") return t("payment-refund-closed");
  await deps.botPayments.teller.tellCredit(credited.payment, credited.debtPaidKopecks);
  return t("payment-refund-credited");
}

function actorOf(ctx: BotContext): string {
  return `telegram:${ctx.person.id}`;
}

function edit(ctx: BotContext, { text, keyboard }: MoneyQuestion): Promise<void> {
  return editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard }));
}

async function shownOf(payment: TillPayment, deps: RefundDeps): Promise<ShownPayment> {
  const { userId, price, currency } = payment;
  const till = deps.botPayments.tills.find(({ name }) => name === payment.till);
  const nameOf = (id: number | undefined) => {
    const person = id === undefined ? undefined : deps.people.find(id);
    return person ? personText(person) : id === undefined ? "–" : `id <code>${id}</code>`;
  };
  return {
    payment,
    person: nameOf(userId ?? undefined),
    nameOf,
    balanceKopecks: userId === null ? undefined : await deps.admin.balanceOf(userId),
    till,
    shares: deps.payments.sharesOf(payment.id),
    worthKopecks: userId === null || currency !== null ? undefined : till?.worthOf(price),
  };
}
