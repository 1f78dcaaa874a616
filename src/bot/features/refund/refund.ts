import { type CommandContext, Composer, InlineKeyboard, type NextFunction } from "grammy";
import type { Kopecks } from "../../../contract/money.js";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Admins } from "../../../ports/admins.js";
import type { Payments, RefundOutcome, TakenPayment, TillPayment } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import type { BotPayments } from "../../payments/bot-payments.js";
import { personText } from "../../people/balance-words.js";
import type { People } from "../../people/people.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { sendPaymentList } from "./payment-list.js";
import { type PaymentScreen, paymentScreen } from "./payment-screen.js";
import { paymentListData, type RefundData, refundData } from "./refund-data.js";

interface RefundDeps {
  payments: Payments;
  admin: Pick<AccountAdmin, "balanceOf" | "ensure">;
  botPayments: Pick<BotPayments, "tills" | "teller">;
  people: Pick<People, "find">;
  adminIds: Admins;
}

/** Handles `/refund PAYMENT`, by its number or its charge id, for admins in their private chat. */
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

/** Shows a payment. What may name an order goes on to the feature of orders: both are numbered from 1. */
async function show(ctx: CommandContext<BotContext>, next: NextFunction, deps: RefundDeps): Promise<void> {
  const { t } = ctx.language;
  const word = ctx.match.trim();
  if (word === "") return void (await ctx.reply(t("usage-refund"), { parse_mode: "HTML" }));
  const payment = /^\d{1,12}$/.test(word) ? deps.payments.byId(Number(word)) : undefined;
  const found = payment ?? deps.payments.byAnyCharge(word);
  if (found) {
    const { text, keyboard } = await screenOf(ctx, found, deps);
    await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
  }
  if (!found || payment) await next();
}

async function act(ctx: BotContext, { paymentId, action }: RefundData, deps: RefundDeps): Promise<void> {
  const payment = deps.payments.byId(paymentId);
  if (!payment) return answerTap(ctx, ctx.language.t("tap-unknown"));
  if (action === "close" || action === "show")
    return void (await Promise.all([answerTap(ctx), redraw(ctx, payment, action, deps)]));
  // The call may take longer than a tap may wait.
  await answerTap(ctx);
  const words =
    action === "credit" ? await credit(ctx, payment, deps) : await refund(ctx, payment, action, deps);
  await redraw(ctx, deps.payments.byId(paymentId) ?? payment, { words }, deps);
}

async function refund(
  ctx: BotContext,
  payment: TillPayment,
  action: "refund" | "owe",
  { payments, botPayments }: RefundDeps,
): Promise<string> {
  const { t } = ctx.language;
  const till = botPayments.tills.find(({ name }) => name === payment.till);
  if (!till) return t("payment-refund-no-till");
  const actor = actorOf(ctx);
  const request = { paymentId: payment.id, actor, reason: null, mayOwe: action === "owe" };
  const outcome = await payments.refund(request, till);
  if (outcome.kind === "refunded") await botPayments.teller.tellRefund(outcome.payment, outcome.owedKopecks);
  return outcomeText(outcome, ctx);
}

function outcomeText(outcome: RefundOutcome, { language: { t, money } }: BotContext): string {
  switch (outcome.kind) {
    case "refunded":
    case "settled":
      return t("payment-refund-done");
    case "pending":
      return t("payment-refund-pending");
    case "refused":
      return t(`payment-refund-refused-${outcome.reason}`);
    case "too_large": {
      const { balanceKopecks, payment } = outcome;
      return t("payment-refund-too-large", {
        balance: money(balanceKopecks),
        sum: money(payment.kopecks ?? 0),
      });
    }
    case "closed":
    case "unknown":
      return t("payment-refund-closed");
  }
}

/** Credits a held payment to who paid, at the price of today. */
async function credit(ctx: BotContext, payment: TillPayment, deps: RefundDeps): Promise<string> {
  const { t } = ctx.language;
  const { userId } = payment;
  const kopecks = worthOf(payment, deps);
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

function worthOf({ till, price }: TillPayment, { botPayments }: RefundDeps): Kopecks | undefined {
  return botPayments.tills.find(({ name }) => name === till)?.worthOf(price);
}

function actorOf(ctx: BotContext): string {
  return `telegram:${ctx.person.id}`;
}

/** Shows the payment as it is now, with its buttons unless it is closed, and with what was done. */
async function redraw(
  ctx: BotContext,
  payment: TillPayment,
  as: "show" | "close" | { words: string },
  deps: RefundDeps,
): Promise<void> {
  const { text, keyboard } = await screenOf(ctx, payment, deps);
  const isClosed = as === "close";
  await editOrIgnore(
    ctx.editMessageText(typeof as === "string" ? text : `${text}\n\n${as.words}`, {
      parse_mode: "HTML",
      reply_markup: isClosed ? new InlineKeyboard() : keyboard,
    }),
  );
}

async function screenOf(ctx: BotContext, payment: TillPayment, deps: RefundDeps): Promise<PaymentScreen> {
  const { userId } = payment;
  const person = userId === null ? undefined : deps.people.find(userId);
  return paymentScreen(
    {
      payment,
      person: person ? personText(person) : userId === null ? "–" : `id <code>${userId}</code>`,
      balanceKopecks: userId === null ? undefined : await deps.admin.balanceOf(userId),
      till: deps.botPayments.tills.find(({ name }) => name === payment.till),
    },
    ctx.language,
  );
}
