import { InlineKeyboard } from "grammy";
import type { Bans } from "../../../ports/bans.js";
import type { Consents } from "../../../ports/consents.js";
import type { Payments, Presented, ReceiptContact, TillInvoice, TopUp } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import { ask, type Question } from "../../dialogs/ask.js";
import { topUpData } from "../../payments/top-up-data.js";
import type { OfferedTopUp, TopUps } from "../../payments/top-ups.js";
import type { LegalTexts } from "../../texts/legal-texts.js";

export interface BuyDeps {
  bans: Pick<Bans, "of">;
  payments: Pick<Payments, "openInvoice" | "closeInvoice">;
  consents: Consents;
  topUps: TopUps;
  legalTexts: LegalTexts;
  /** Addresses that the receipts of people go to. */
  contacts: { of(userId: number): ReceiptContact | undefined };
}

/** A top-up that waits for the answer to a question. */
export interface WaitingTopUp {
  till: string;
  topUp: TopUp;
}

/** The question where receipts go. Without a subject nothing waits for the answer. */
export const RECEIPT_CONTACT: Question<WaitingTopUp | null> = { name: "receipt-contact" };

/** Shows an invoice in the private chat. The first one, and the first after new terms, waits for the consent. */
export async function buy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  const { bans, consents, legalTexts } = deps;
  if (bans.of(ctx.person.id)) return void (await ctx.reply(ctx.language.t("checkout-banned")));
  const isAgreed = consents.hasAgreed(ctx.person.id, legalTexts.agreedIn(ctx.language.code));
  if (!isAgreed) return askConsent(ctx, offered);
  const contact = offered.till.needsContact ? deps.contacts.of(ctx.person.id) : undefined;
  if (offered.till.needsContact && !contact) return askContact(ctx, offered);
  await showInvoice(ctx, offered, deps, contact);
}

/** Records the consent, then shows the invoice. */
export async function agreeAndBuy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  await deps.consents.agree(ctx.person.id, deps.legalTexts.agreedIn(ctx.language.code));
  await buy(ctx, offered, deps);
}

async function askConsent(ctx: BotContext, { till, topUp }: OfferedTopUp): Promise<void> {
  const { t } = ctx.language;
  const data = topUpData.encode({ action: "agree", till: till.name, topUp });
  const keyboard = new InlineKeyboard().text(t("button-agree"), data).success();
  await ctx.reply(t("consent-ask"), { parse_mode: "HTML", reply_markup: keyboard });
}

async function askContact(ctx: BotContext, { till, topUp }: OfferedTopUp): Promise<void> {
  await ask(ctx, RECEIPT_CONTACT, { till: till.name, topUp });
  await ctx.reply(ctx.language.t("receipt-ask"), { parse_mode: "HTML" });
}

/** The row of the invoice is written before anything is sent. One that can be paid no longer gives way to another. */
async function showInvoice(
  ctx: BotContext,
  offered: OfferedTopUp,
  { payments }: Pick<BuyDeps, "payments">,
  contact: ReceiptContact | undefined,
): Promise<void> {
  const { till, topUp } = offered;
  const open = () =>
    payments.openInvoice({
      till: till.name,
      userId: ctx.person.id,
      ...topUp,
      reusedForMs: till.invoiceReusedForMs,
    });
  let invoice = await open();
  let presented = await present(ctx, offered, invoice, contact);
  if (presented.kind === "ended") {
    await payments.closeInvoice(invoice.id);
    invoice = await open();
    presented = await present(ctx, offered, invoice, contact);
  }
  if (presented.kind === "unavailable" || presented.kind === "ended") await payments.closeInvoice(invoice.id);
  await showPresented(ctx, offered, presented);
}

function present(
  { language: { t, money } }: BotContext,
  { till, topUp }: OfferedTopUp,
  invoice: TillInvoice,
  contact: ReceiptContact | undefined,
): Promise<Presented> {
  const sum = money(topUp.kopecks);
  const words = { title: t("invoice-title", { sum }), description: t("invoice-description", { sum }) };
  return till.present(invoice, words, contact);
}

async function showPresented(
  ctx: BotContext,
  { till, topUp }: OfferedTopUp,
  presented: Presented,
): Promise<void> {
  const { t, money } = ctx.language;
  const sum = money(topUp.kopecks);
  if (presented.kind === "sent") return;
  if (presented.kind === "link") {
    const button = InlineKeyboard.url(t(`button-pay-${till.name}`, { sum }), presented.url);
    const reply_markup = new InlineKeyboard([[button]]);
    return void (await ctx.reply(t("invoice-link", { sum }), { parse_mode: "HTML", reply_markup }));
  }
  const data = topUpData.encode({ action: "buy", till: till.name, topUp });
  const reply_markup = new InlineKeyboard().text(t("button-top-up-again"), data);
  if (presented.kind === "later") return void (await ctx.reply(t("top-up-later"), { reply_markup }));
  await ctx.reply(t("top-up-unavailable"));
}
