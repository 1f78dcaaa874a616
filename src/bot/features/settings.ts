import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { privateOnly } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { languageButtons } from "./language.js";

/** Answers `/settings` with the languages and the entries of other features, in private chats only. */
export function settingsFeature({ texts }: BotModules, features: () => readonly Feature[]): Feature {
  const composer = new Composer<BotContext>();
  composer.command("settings", privateOnly("settings-private-only"), async (ctx) => {
    const { t } = ctx.language;
    const keyboard = languageButtons(ctx.person, texts).row();
    for (const { settings } of features())
      if (settings) keyboard.text(settings.label(ctx), settings.data).row();
    await ctx.reply(t("settings-about"), { reply_markup: keyboard });
  });
  return { commands: ["settings"], composer };
}
