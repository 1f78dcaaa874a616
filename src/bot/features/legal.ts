import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { LEGAL_DOCUMENTS, type LegalDocument, type LegalTexts } from "../texts/legal-texts.js";

interface LegalDeps {
  legalTexts: LegalTexts;
  supportContact: string | undefined;
}

/** Answers what everybody may read at any time: the terms and the privacy policy. */
export function legalFeature(deps: LegalDeps): Feature {
  const composer = new Composer<BotContext>();
  for (const document of LEGAL_DOCUMENTS)
    composer.command(document, (ctx) => showDocument(ctx, document, deps));
  return { name: "legal", commands: LEGAL_DOCUMENTS, composer };
}

async function showDocument(ctx: BotContext, document: LegalDocument, deps: LegalDeps): Promise<void> {
  const { code, t } = ctx.language;
  const contact = deps.supportContact ?? t("legal-owner");
  const names = { contact, bot: `@${ctx.me.username}` };
  for (const page of deps.legalTexts.pagesOf(document, code, names))
    await ctx.reply(page, { parse_mode: "HTML", link_preview_options: { is_disabled: true } });
}
