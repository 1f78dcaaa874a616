import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import type { BotModules } from "../modules.js";
import { LEGAL_DOCUMENTS } from "../texts/legal-texts.js";

/** Answers what everybody may read at any time: the terms and the privacy policy. */
export function legalFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  for (const document of LEGAL_DOCUMENTS)
    composer.command(document, async (ctx) => {
      const { code, t } = ctx.language;
      const names = { contact: bot.supportContact ?? t("legal-owner"), bot: `@${ctx.me.username}` };
      for (const page of bot.legalTexts.pagesOf(document, code, names))
        await ctx.reply(page, { parse_mode: "HTML", link_preview_options: { is_disabled: true } });
    });
  return { commands: LEGAL_DOCUMENTS, composer };
}
