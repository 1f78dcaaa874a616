import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { privateOnly } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { languageButtons } from "./language.js";

/** A button of `/settings`: the key of its label, and the data that its feature handles. */
export interface SettingsEntry {
  label: string;
  data: string;
}

/** Answers `/settings` with the languages and a button for each further entry, in private chats only. */
export function settingsFeature({ texts }: BotModules, entries: readonly SettingsEntry[]): Feature {
  const composer = new Composer<BotContext>();
  composer.command("settings", privateOnly("settings-private-only"), async (ctx) => {
    const { t } = ctx.language;
    const keyboard = languageButtons(ctx.person, texts).row();
    for (const { label, data } of entries) keyboard.text(t(label), data).row();
    await ctx.reply(t("settings-about"), { reply_markup: keyboard });
  });
  return { commands: ["settings"], composer };
}
