import { Composer, InlineKeyboard } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { privateOnly, taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import type { Person } from "../people/people.js";
import { buttonData, matching, natural } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import type { Texts } from "../texts/texts.js";

/** `l:<language>:<person>` */
const languageData = buttonData("l", [matching("code", /^[a-z]{2,8}$/), natural("userId")]);

export function languageFeature(bot: BotModules): Feature {
  const { texts, people, drafts, cards, commandMenu, logger } = bot;
  const composer = new Composer<BotContext>();
  composer.command("language", (ctx) =>
    ctx.reply(ctx.language.t("language-choose"), { reply_markup: languageButtons(ctx.person, texts) }),
  );
  composer.use(
    taps(languageData, async (ctx, { code, userId }) => {
      const { t } = ctx.language;
      if (!texts.has(code)) return answerTap(ctx, t("tap-unknown"));
      if (userId !== ctx.person.id) return alertTap(ctx, t("tap-not-yours"));
      const person = await people.setLocale(ctx.person, code);
      const chosen = texts.in(code);
      const draft = drafts.composing(userId, ctx.chatId);
      const redrawn = draft && cards.refresh(draft, { person, gateway: ctx.gateway });
      // A second tap has nothing to edit.
      const edit = editOrIgnore(ctx.editMessageText(chosen.t("language-chosen")));
      const card = redrawn?.catch((error: unknown) =>
        logger.warn({ draft_id: draft?.id, err: error }, "card not redrawn"),
      );
      await Promise.all([answerTap(ctx), edit, card]);
      if (isPrivate(ctx)) commandMenu.onChanged(person, chosen);
    }),
  );
  return { commands: ["language"], composer };
}

/** Draws a button for each language, with a mark on the person's. */
function languageButtons({ id, locale }: Person, { languages }: Texts): InlineKeyboard {
  const keyboard = new InlineKeyboard();
  for (const { code, ownName } of languages)
    keyboard.text(`${code === locale ? "• " : ""}${ownName}`, languageData.encode({ code, userId: id }));
  return keyboard;
}

/** Answers `/settings` with the languages and the entries of other features, in private chats only. */
export function settingsFeature({ texts }: BotModules, features: () => readonly Feature[]): Feature {
  const composer = new Composer<BotContext>();
  composer.command("settings", privateOnly("settings-private-only"), async (ctx) => {
    const keyboard = languageButtons(ctx.person, texts).row();
    for (const { settings } of features())
      if (settings) keyboard.text(settings.label(ctx), settings.data).row();
    await ctx.reply(ctx.language.t("settings-about"), { reply_markup: keyboard });
  });
  return { commands: ["settings"], composer };
}
