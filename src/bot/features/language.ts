import { Composer, InlineKeyboard } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import type { Person } from "../people/people.js";
import { buttonData, matching, natural } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import type { Texts } from "../texts/texts.js";

/** `l:<language>:<person>` */
export const languageData = buttonData("l", [matching("code", /^[a-z]{2,8}$/), natural("userId")]);

export function languageFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.command("language", (ctx) =>
    ctx.reply(ctx.language.t("language-choose"), { reply_markup: languageButtons(ctx.person, bot.texts) }),
  );
  composer.use(
    taps(languageData, async (ctx, { code, userId }) => {
      const { t } = ctx.language;
      if (!bot.texts.has(code)) return answerTap(ctx, t("tap-unknown"));
      if (userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
      await choose(ctx, code, bot);
    }),
  );
  return { commands: ["language"], callbackPrefixes: [languageData.prefix], composer };
}

/** Draws a button for each language, with a mark on the person's. */
export function languageButtons({ id, locale }: Person, { languages }: Texts): InlineKeyboard {
  const keyboard = new InlineKeyboard();
  for (const { code, ownName } of languages)
    keyboard.text(`${code === locale ? "• " : ""}${ownName}`, languageData.encode({ code, userId: id }));
  return keyboard;
}

async function choose(ctx: BotContext, code: string, bot: BotModules): Promise<void> {
  const { texts, people, commandMenu } = bot;
  const person = await people.setLocale(ctx.person, code);
  const chosen = texts.in(person.locale);
  // A second tap has nothing to edit.
  const edit = editOrIgnore(ctx.editMessageText(chosen.t("language-chosen")));
  await Promise.all([answerTap(ctx), edit, redrawCard(ctx, person, bot)]);
  if (isPrivate(ctx)) await commandMenu.setChat(person, chosen);
}

async function redrawCard(
  { chatId, gateway }: BotContext,
  person: Person,
  { drafts, cards, logger }: BotModules,
): Promise<void> {
  const draft = chatId === undefined ? undefined : drafts.composing(person.id, chatId);
  if (!draft) return;
  await cards
    .refresh(draft, { person, gateway })
    .catch((error: unknown) => logger.warn({ draft_id: draft.id, err: error }, "card not redrawn"));
}
