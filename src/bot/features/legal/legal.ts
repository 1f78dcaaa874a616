import { type CommandContext, Composer } from "grammy";
import type { Payments, TillPayment } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { isPrivate } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";
import { LEGAL_DOCUMENTS, type LegalDocument, type LegalTexts } from "../../texts/legal-texts.js";
import { localTimeHtml } from "../../texts/moment.js";

interface LegalDeps {
  legalTexts: LegalTexts;
  payments: Pick<Payments, "ofUser">;
  supportContact: string | undefined;
}

const PAYMENTS_SHOWN = 5;

/** Answers what everybody may ask at any time: the terms, the privacy policy, and help with payments. */
export function legalFeature(deps: LegalDeps): Feature {
  const composer = new Composer<BotContext>();
  for (const document of LEGAL_DOCUMENTS)
    composer.command(document, (ctx) => showDocument(ctx, document, deps));
  composer.command("paysupport", (ctx) => showPaySupport(ctx, deps));
  composer.command("support", (ctx) => showSupport(ctx, deps));
  return { name: "legal", commands: [...LEGAL_DOCUMENTS, "paysupport"], composer };
}

async function showDocument(ctx: BotContext, document: LegalDocument, deps: LegalDeps): Promise<void> {
  const { code, t } = ctx.language;
  const contact = deps.supportContact ?? t("legal-owner");
  const names = { contact, bot: `@${ctx.me.username}` };
  for (const page of deps.legalTexts.pagesOf(document, code, names))
    await ctx.reply(page, { parse_mode: "HTML", link_preview_options: { is_disabled: true } });
}

/** Lists the newest payments with their numbers, which admins can look up. A group sees none. */
async function showPaySupport(ctx: BotContext, deps: LegalDeps): Promise<void> {
  const { t } = ctx.language;
  const lines = [t("paysupport"), whomToAsk(ctx, deps)];
  const payments = isPrivate(ctx) ? deps.payments.ofUser(ctx.person.id, PAYMENTS_SHOWN) : [];
  if (payments.length > 0)
    lines.push([t("paysupport-payments"), ...payments.map((one) => paymentLine(one, ctx))].join("\n"));
  await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML" });
}

async function showSupport(ctx: CommandContext<BotContext>, deps: LegalDeps): Promise<void> {
  await ctx.reply(whomToAsk(ctx, deps), { parse_mode: "HTML" });
}

function whomToAsk({ language: { t } }: BotContext, { supportContact }: LegalDeps): string {
  return supportContact ? t("support-ask", { contact: escapeHtml(supportContact) }) : t("support-ask-owner");
}

function paymentLine({ id, price, kopecks, state, paidAt, till }: TillPayment, ctx: BotContext): string {
  const { t, money } = ctx.language;
  return t("paysupport-payment", {
    number: String(id),
    time: localTimeHtml(paidAt, ctx.language),
    price: t(`price-${till}`, { price }),
    sum: kopecks === null ? "–" : money(kopecks),
    state: t(`payment-state-${state}`),
  });
}
