import { InlineKeyboard } from "grammy";
import type { Bans } from "../../../ports/bans.js";
import type { Consents } from "../../../ports/consents.js";
import type { Payments } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import { topUpData } from "../../payments/top-up-data.js";
import type { OfferedTopUp, TopUps } from "../../payments/top-ups.js";
import type { LegalTexts } from "../../texts/legal-texts.js";

export interface BuyDeps {
  bans: Pick<Bans, "of">;
  payments: Pick<Payments, "openInvoice" | "closeInvoice">;
  consents: Consents;
  topUps: TopUps;
  legalTexts: LegalTexts;
}

/** Shows an invoice in the private chat. The first one, and the first after new terms, waits for the consent. */
export async function buy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  const { bans, consents, legalTexts } = deps;
  if (bans.of(ctx.person.id)) return void (await ctx.reply(ctx.language.t("checkout-banned")));
  const isAgreed = consents.hasAgreed(ctx.person.id, legalTexts.agreedIn(ctx.language.code));
  await (isAgreed ? showInvoice(ctx, offered, deps) : askConsent(ctx, offered));
}

/** Records the consent, then shows the invoice. */
export async function agreeAndBuy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  await deps.consents.agree(ctx.person.id, deps.legalTexts.agreedIn(ctx.language.code));
  await showInvoice(ctx, offered, deps);
}

async function askConsent(ctx: BotContext, { till, topUp }: OfferedTopUp): Promise<void> {
  const { t } = ctx.language;
  const data = topUpData.encode({ action: "agree", till: till.name, topUp });
  const keyboard = new InlineKeyboard().text(t("button-agree"), data).success();
  await ctx.reply(t("consent-ask"), { parse_mode: "HTML", reply_markup: keyboard });
}

/** The row of the invoice is written before anything is sent. */
async function showInvoice(
  ctx: BotContext,
  { till, topUp }: OfferedTopUp,
  { payments }: BuyDeps,
): Promise<void> {
  const { t, money } = ctx.language;
  const sum = money(topUp.kopecks);
  const invoice = await payments.openInvoice({ till: till.name, userId: ctx.person.id, ...topUp });
  const words = { title: t("invoice-title", { sum }), description: t("invoice-description", { sum }) };
  const presented = await till.present(invoice, words);
  if (presented.kind === "link") {
    const keyboard = new InlineKeyboard([[InlineKeyboard.url(t("button-pay-link", { sum }), presented.url)]]);
    await ctx.reply(t("invoice-link", { sum }), { parse_mode: "HTML", reply_markup: keyboard });
  }
  if (presented.kind === "unavailable") {
    await payments.closeInvoice(invoice.id);
    await ctx.reply(t("top-up-unavailable"));
  }
}
