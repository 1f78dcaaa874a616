import type { Model } from "../../../contract/model.js";
import { textWords, wordsFor } from "../../card/card-words.js";
import type { Draft, Drafts } from "../../card/draft-store.js";
import { askedOn, isWritten } from "../../card/form/apply-message.js";
import type { FormField } from "../../card/form/fields.js";
import { heldPictures } from "../../card/form/picture-fields.js";
import { parameterQuestion } from "../../card/parameter-names.js";
import type { BotContext } from "../../context.js";
import { isAsked } from "../../dialogs.js";
import { inTopic, isInGroup, isPrivate } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";

/**
 * Asks for what has to be typed: by default for what the card shows. A question of a feature ends, as one is open at a
 * time. In a private chat the card itself is the question; in a group, where only replies are sure to reach the bot, it
 * is a message beside the card, sent once.
 */
export async function askOnCard(
  ctx: BotContext,
  draft: Draft,
  model: Model | undefined,
  drafts: Drafts,
  isTextAsked?: boolean,
): Promise<void> {
  const asked = askedOn(draft, model, isTextAsked);
  if (!asked) return;
  if (isAsked(ctx)) await ctx.conversation.exitAll();
  if (!isInGroup(draft) || draft.questionId !== null) return;
  const { field } = asked;
  if (!isWritten(field)) return;
  const { language } = ctx;
  const { type, parameters } = draft;
  const question =
    asked.kind === "text"
      ? textWords("ask", field.name, type, parameters, heldPictures(parameters), language)
      : `${parameterQuestion(field.name, language)} ${wordsFor(field, language)}`;
  const how = language.t(draft.view.kind === "card" ? "ask-by-reply" : "ask-by-reply-or-back");
  const { message_id } = await ctx.reply(`${address(ctx)}${question} ${how}`, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
  await drafts.setQuestion(draft, message_id);
}

/** Says what is wrong with an answer. In a group it asks again: see `askOnCard`. */
export async function askAgain(ctx: BotContext, words: string, field: FormField | undefined): Promise<void> {
  const { t } = ctx.language;
  if (isPrivate(ctx)) return void (await ctx.reply(field ? `${words} ${t("page-back")}` : words));
  await ctx.reply(`${address(ctx)}${escapeHtml(words)} ${t("ask-by-reply")}`, {
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
}

/** True for a reply to a message of the bot that addresses the sender. Older questions count too. */
export function isAnswerToQuestion({ message, me, person }: BotContext): boolean {
  const asked = message?.reply_to_message;
  if (asked?.from?.id !== me.id) return false;
  return asked.entities?.some((part) => part.type === "text_mention" && part.user.id === person.id) ?? false;
}

function address(ctx: BotContext): string {
  if (isPrivate(ctx)) return "";
  return `<a href="tg://user?id=${ctx.person.id}">${escapeHtml(ctx.person.name)}</a>: `;
}
