import { Composer, InlineKeyboard, type NextFunction } from "grammy";
import { NO_KOPECKS, sumOf } from "../../contract/price.js";
import { keptOf } from "../../tills/payment-store.js";
import { payerOf, paymentName, readPaymentName, type Till, type TillPayment } from "../../tills/till.js";
import { actorOf, type BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, isAdmin, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import type { Order } from "../orders/order.js";
import { paymentWords, priceText } from "../payments/top-ups.js";
import { personText } from "../people/balance-words.js";
import { confirmScreen, editScreen, type Screen, sendInPrivate, sendScreen, turnTo } from "../screens.js";
import { actionData, type DataOf, marked, natural } from "../telegram/button-data.js";
import { alertTap, answerTap } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { storyData } from "./order-story.js";
import { paymentListData } from "./person-buttons.js";

/** `refund`: what was paid goes back; what balances lack becomes a debt. `credit`: a held payment goes to who paid. */
type MoneyAction = "refund" | "credit";

/**
 * `rf:<payment>:<s or x>`, `rf:<payment>:<r or c>`, which asks, and `rf:<payment>:<R or C>:<kopecks>:<owed>`, which does
 * what was asked: with other sums than those it asks again.
 */
const refundData = actionData("rf", {
  show: [natural("paymentId"), "s"],
  close: [natural("paymentId"), "x"],
  ask: [natural("paymentId"), marked("what", { refund: "r", credit: "c" })],
  sure: [
    natural("paymentId"),
    marked("what", { refund: "R", credit: "C" }),
    natural("kopecks"),
    natural("owedKopecks"),
  ],
});
type RefundData = DataOf<typeof refundData>;

/** The command of a payment as one word, which apps make a link. */
const REFUND_LINK = /^\/refund_(p\d{1,12})(?:@\w+)?$/;

export function refundLink(paymentId: number): string {
  return `/refund_p${paymentId}`;
}

const PAYMENTS_SHOWN = 5;

/** Sends the newest payments of a person to the private chat of the admin who tapped, each as a button. */
async function sendPaymentList(
  ctx: BotContext,
  userId: number,
  { people, accounts: { payments } }: ManagedBot,
): Promise<void> {
  const { language } = ctx;
  const found = payments.ofUser(userId, PAYMENTS_SHOWN);
  const person = people.find(userId);
  if (found.length === 0 || !person) return alertTap(ctx, language.t("payments-none"));
  const keyboard = new InlineKeyboard();
  for (const payment of found) {
    const { number, price, sum, state } = paymentWords(payment, language);
    const data = refundData.encode({ paymentId: payment.id, action: "show" });
    keyboard.text(`${number} · ${price} → ${sum} · ${state}`, data).row();
  }
  await sendInPrivate(ctx, { text: language.t("payments-of", { person: personText(person) }), keyboard });
}

/** Handles `/refund PAYMENT`, by its name or its charge id, for admins in their private chat. */
export function refundFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("refund", ownWordsOnly, (ctx, next) => show(ctx, ctx.match, next, bot));
  forAdmins.hears(REFUND_LINK, ownWordsOnly, (ctx, next) => show(ctx, ctx.match[1] ?? "", next, bot));
  forAdmins.use(taps(refundData, (ctx, data) => act(ctx, data, bot)));
  composer
    .filter(isAdmin(bot.adminIds))
    .use(taps(paymentListData, (ctx, { userId }) => sendPaymentList(ctx, userId, bot)));
  return { adminCommands: ["refund"], composer };
}

/** Shows a payment. A number alone may be one of an order, and is asked about where it may be either. */
async function show(ctx: BotContext, words: string, next: NextFunction, bot: ManagedBot): Promise<void> {
  const { language } = ctx;
  const word = words.trim();
  if (word === "") return void (await ctx.reply(language.t("usage-refund"), { parse_mode: "HTML" }));
  const named = readPaymentName(word);
  const [, digits] = /^[#№]?(\d{1,9})$/.exec(word) ?? [];
  const number = named ?? (digits === undefined ? undefined : Number(digits));
  const byNumber = number === undefined ? undefined : bot.accounts.payments.byId(number);
  const payment = byNumber ?? bot.accounts.payments.byAnyCharge(word);
  if (!payment)
    return named === undefined ? next() : void (await ctx.reply(language.t("payment-refund-unknown")));
  const order = byNumber && named === undefined ? bot.orders.byNumber(byNumber.id) : undefined;
  if (order) return askWhich(ctx, payment, order);
  await sendScreen(ctx, paymentScreen(await shownOf(payment, bot), language));
}

/** Asks which of the two a number means. Neither button moves money. */
async function askWhich(ctx: BotContext, payment: TillPayment, order: Order): Promise<void> {
  const { t, money } = ctx.language;
  const { number } = order;
  const shown = { number: String(number), sum: money(order.quotedKopecks) };
  const keyboard = new InlineKeyboard()
    .text(
      t("button-refund-payment", paymentWords(payment, ctx.language)),
      refundData.encode({ paymentId: payment.id, action: "show" }),
    )
    .row()
    .text(t("button-refund-order", shown), storyData.encode({ action: "ask", number }));
  await ctx.reply(t("refund-which"), { reply_markup: keyboard });
}

async function act(ctx: BotContext, data: RefundData, bot: ManagedBot): Promise<void> {
  const { language } = ctx;
  const payment = bot.accounts.payments.byId(data.paymentId);
  if (!payment) return answerTap(ctx, language.t("tap-unknown"));
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  const shown = await shownOf(payment, bot);
  if (!("what" in data)) {
    const screen = paymentScreen(shown, language);
    return turnTo(ctx, data.action === "show" ? screen : { text: screen.text });
  }
  const { what } = data;
  const now = namedSums(shown, what);
  const isOpen = moneyActionsOf(shown).includes(what);
  const isAsked =
    data.action === "sure" && data.kopecks === now.kopecks && data.owedKopecks === now.owedKopecks;
  if (isOpen && !isAsked) return turnTo(ctx, paymentQuestion(shown, what, language));
  // The call may take longer than a tap may wait.
  await answerTap(ctx);
  const move = what === "credit" ? credit : refund;
  const closed = payment.state === "unmatched" ? "payment-refund-credit-nobody" : "payment-refund-closed";
  const words = isOpen
    ? await move(ctx, shown, bot)
    : language.t(shown.till ? closed : "payment-refund-no-till");
  const after = await shownOf(bot.accounts.payments.byId(payment.id) ?? payment, bot);
  const screen = paymentScreen(after, language);
  await editScreen(ctx, { ...screen, text: `${screen.text}\n\n${words}` });
}

async function refund(
  ctx: BotContext,
  { payment, till, shares }: ShownPayment,
  { botPayments, accounts: { payments } }: ManagedBot,
): Promise<string> {
  if (!till) return ctx.language.t("payment-refund-no-till");
  const mayOwe = shares.some(({ owedKopecks }) => owedKopecks > 0);
  const request = { paymentId: payment.id, actor: actorOf(ctx), reason: null, mayOwe };
  // A running refund writes over what a part before it has left as a debt.
  await botPayments.teller.tellReturn(payment);
  const outcome = await payments.refund(request, till);
  if (outcome.kind === "refunded") await botPayments.teller.tellReturn(outcome.payment);
  const end = outcome.kind === "refused" ? `refused-${outcome.reason}` : OUTCOMES[outcome.kind];
  return ctx.language.t(`payment-refund-${end}`);
}

/** What an admin reads of how a refund has ended. */
const OUTCOMES = {
  refunded: "done",
  settled: "done",
  pending: "pending",
  too_large: "too-large",
  closed: "closed",
  unknown: "closed",
} as const;

/** Credits a held payment to who paid, at the price of today. */
async function credit(
  ctx: BotContext,
  { payment, worthKopecks: kopecks }: ShownPayment,
  bot: ManagedBot,
): Promise<string> {
  const { t } = ctx.language;
  const userId = payerOf(payment);
  const person = userId === null ? undefined : bot.people.find(userId);
  if (userId === null || kopecks === undefined || !person) return t("payment-refund-credit-nobody");
  await bot.accounts.users.idOf(person);
  const held = { paymentId: payment.id, userId, kopecks, actor: actorOf(ctx) };
  const credited = await bot.accounts.payments.creditHeld(held);
  if (credited?.kind !== "credited") return t("payment-refund-closed");
  await bot.botPayments.teller.tellCredit(credited.payment, credited.debtPaidKopecks);
  return t("payment-refund-credited");
}

type ShownPayment = Awaited<ReturnType<typeof shownOf>>;

async function shownOf(payment: TillPayment, bot: ManagedBot) {
  const { price, currency } = payment;
  const userId = payerOf(payment);
  const till: Till | undefined = bot.botPayments.tills.find(({ name }) => name === payment.till);
  const worthKopecks = userId === null || currency !== null ? undefined : till?.worthOf(price);
  /** Names a person as HTML. */
  const nameOf = (id: number | undefined) => {
    const person = id === undefined ? undefined : bot.people.find(id);
    return person ? personText(person) : id === undefined ? "–" : `id <code>${id}</code>`;
  };
  return {
    payment,
    person: nameOf(userId ?? undefined),
    balanceKopecks: userId === null ? undefined : await bot.accounts.users.balanceOf(userId),
    till,
    /** What a refund takes from balances now. */
    shares: bot.accounts.payments.sharesOf(payment.id).map(({ accountId, ...share }) => {
      return { ...share, whose: nameOf(bot.accounts.users.userOf(accountId)) };
    }),
    /** What a held payment is worth whole, at the price of today; undefined where it cannot be credited. */
    worthKopecks,
    /** What crediting it gives: a part of it may be back with the payer already. */
    givenKopecks: worthKopecks === undefined ? NO_KOPECKS : keptOf({ ...payment, kopecks: worthKopecks }),
  };
}

/** Shows a payment with what an admin can do about it, and what a refund takes along. */
function paymentScreen(shown: ShownPayment, language: Language): Screen {
  const { t, money } = language;
  const { payment, person, balanceKopecks, shares } = shown;
  const { id, charge_id, returned } = payment;
  const lines = [
    t("payment-screen", {
      ...paymentWords(payment, language),
      person,
      balance: balanceKopecks === undefined ? "–" : money(balanceKopecks),
      charge: escapeHtml(charge_id),
    }),
  ];
  if (returned > 0)
    lines.push(t("payment-returned", { sum: priceText({ ...payment, price: returned }, language) }));
  if (shares.some(({ of }) => of === "reward")) lines.push("", ...shareLines(shown, language));
  const keyboard = new InlineKeyboard();
  for (const what of moneyActionsOf(shown)) {
    const data = refundData.encode({ paymentId: id, action: "ask", what });
    keyboard
      .text(t(`button-payment-${what}`, wordsOf(shown, language)), data)
      .danger()
      .row();
  }
  if (moneyActionsOf(shown).length > 0)
    keyboard.text(t("button-leave-it"), refundData.encode({ paymentId: id, action: "close" }));
  return { text: lines.join("\n"), keyboard };
}

/** Asks whether the money is really to move: whose, how much, and which way. */
function paymentQuestion(shown: ShownPayment, what: MoneyAction, language: Language): Screen {
  const { t } = language;
  const paymentId = shown.payment.id;
  const words = wordsOf(shown, language);
  const lines = [t(`payment-ask-${what}`, words), ...(what === "refund" ? shareLines(shown, language) : [])];
  const yes = {
    label: t(`button-payment-sure-${what}`, words),
    data: refundData.encode({ paymentId, action: "sure", what, ...namedSums(shown, what) }),
  };
  const back = { data: refundData.encode({ paymentId, action: "show" }) };
  return confirmScreen(lines.join("\n"), { yes, back }, t);
}

/** Returns the sums that a question names now: what comes to or leaves balances, and what they lack. */
function namedSums({ shares, givenKopecks }: ShownPayment, what: MoneyAction) {
  if (what === "credit") return { kopecks: givenKopecks, owedKopecks: 0 };
  return {
    kopecks: sumOf(shares.map(({ kopecks }) => kopecks)),
    owedKopecks: sumOf(shares.map(({ owedKopecks }) => owedKopecks)),
  };
}

function moneyActionsOf({ payment: { state }, till, worthKopecks }: ShownPayment): MoneyAction[] {
  if (!till || (state !== "credited" && state !== "unmatched")) return [];
  return state === "unmatched" && worthKopecks !== undefined ? ["refund", "credit"] : ["refund"];
}

function shareLines({ shares }: ShownPayment, { t, money }: Language): string[] {
  return shares.map(({ of, whose, kopecks, owedKopecks }) => {
    const line = t(`refund-share-${of}`, { person: whose, sum: money(kopecks) });
    return owedKopecks === 0 ? line : `${line} ${t("refund-share-owed", { owed: money(owedKopecks) })}`;
  });
}

function wordsOf({ payment, person, givenKopecks }: ShownPayment, language: Language) {
  const { t, money } = language;
  return {
    number: paymentName(payment.id),
    person,
    price: priceText({ ...payment, price: payment.price - payment.returned }, language),
    way: t(`refund-way-${payment.till}`),
    sum: money(givenKopecks),
  };
}
