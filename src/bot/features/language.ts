import { InlineKeyboard } from "grammy";
import { type BotContext, isPrivate } from "../context.js";
import type { Person } from "../people/people.js";
import { answerTap } from "../tap-answers.js";
import { isNothingToEdit } from "../telegram/failure.js";
import type { Feature, FeatureParts } from "./feature.js";

const DATA = /^l:([a-z]{2,8}):(\d{1,16})$/;

/** `/language`: the language of everything that the bot says to this person. */
export const language: Feature = {
  name: "language",
  commands: ["language"],
  build(parts) {
    const offer = async (ctx: BotContext) => {
      const keyboard = new InlineKeyboard();
      for (const { code, ownName } of parts.texts.languages)
        keyboard.text(ownName, `l:${code}:${ctx.person.id}`);
      await ctx.reply(ctx.language.t("language-choose"), { reply_markup: keyboard });
    };
    return {
      commands: { language: offer },
      tap(ctx, data) {
        const [, code = "", asker] = DATA.exec(data) ?? [];
        if (asker === undefined) return undefined;
        if (!parts.texts.has(code)) return answerTap(ctx, ctx.language.t("tap-unknown"));
        if (Number(asker) === ctx.person.id) return choose(ctx, code, parts);
        return answerTap(ctx, ctx.language.t("tap-not-yours"), { isAlert: true });
      },
    };
  },
};

async function choose(ctx: BotContext, code: string, parts: FeatureParts): Promise<void> {
  const { texts, people, commandMenu } = parts;
  const person = await people.setLocale(ctx.person, code);
  const chosen = texts.in(person.locale);
  // Telegram shows the answer to the same tap only once; the second finds nothing to edit.
  const edit = ctx.editMessageText(chosen.t("language-chosen")).catch((error: unknown) => {
    if (!isNothingToEdit(error)) throw error;
  });
  await Promise.all([answerTap(ctx), edit, redrawCard(ctx, person, parts)]);
  if (isPrivate(ctx)) await commandMenu.setChat(person.id, chosen);
}

/** Shows the card that the person is composing here in the new language; the next tap on it would do so too. */
async function redrawCard(
  { chatId }: BotContext,
  person: Person,
  { drafts, cards, logger }: FeatureParts,
): Promise<void> {
  const draft = chatId === undefined ? undefined : drafts.composing(person.id, chatId);
  if (!draft) return;
  await cards
    .refresh(draft, person)
    .catch((error: unknown) => logger.warn({ draft_id: draft.id, err: error }, "card not redrawn"));
}
