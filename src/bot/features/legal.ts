import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import type { BotModules } from "../modules.js";
import { LEGAL_DOCUMENTS, type LegalDocument } from "../texts/legal-texts.js";

/** Answers what everybody may read at any time: the terms and the privacy policy. */
export function legalFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  for (const document of LEGAL_DOCUMENTS)
    composer.command(document, (ctx) => showDocument(ctx, document, bot));
  return { commands: LEGAL_DOCUMENTS, composer };
}

async function showDocument(ctx: BotContext, document: LegalDocument, bot: BotModules): Promise<void> {
  const { code, t } = ctx.language;
  const contact = bot.supportContact ?? t("legal-owner");
  const names = { contact, bot: `@${ctx.me.username}` };
  for (const page of bot.legalTexts.pagesOf(document, code, names))
    await ctx.reply(page, { parse_mode: "HTML", link_preview_options: { is_disabled: true } });
}
