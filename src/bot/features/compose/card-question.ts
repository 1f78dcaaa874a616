import type { Model } from "../../../contract/model.js";
import type { Draft } from "../../card/draft-store.js";
import { type Asked, askedField, askedOn, isWritten } from "../../card/form/apply-message.js";
import { type FormField, fieldsOf } from "../../card/form/fields.js";
import { heldPictures } from "../../card/form/picture-fields.js";
import { parameterQuestion } from "../../card/parameter-names.js";
import { questionFor, subjectOf, wordsFor } from "../../card/render-card.js";
import type { BotContext } from "../../context.js";
import { ask, leaveQuestion, type Question } from "../../dialogs.js";
import { inTopic, isInGroup, isPrivate } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";

/** Stored while a card waits for typed words. */
export interface CardSubject {
  draftId: number;
  /** Another model ends the question. */
  modelKey: string | null;
  asked: Asked;
  /** The message that asks in a group. */
  questionId?: number;
}

export const CARD_QUESTION: Question<CardSubject> = { name: "card" };

/**
 * Waits for what a card asks for, by default what its page shows, or ends the question before. In a group a message
 * of its own asks, since only replies are sure to reach the bot.
 */
export async function askOnCard(
  ctx: BotContext,
  draft: Draft,
  model: Model | undefined,
  asked = askedOn(draft, model),
): Promise<void> {
  if (!asked || !model) return leaveQuestion(ctx, CARD_QUESTION);
  const { id: draftId, modelKey } = draft;
  const field = askedField(asked, fieldsOf(model), draft.parameters);
  const questionId =
    isInGroup(draft) && isWritten(field) ? await askByReply(ctx, draft, asked, field) : undefined;
  await ask(ctx, CARD_QUESTION, {
    draftId,
    modelKey,
    asked,
    ...(questionId === undefined ? {} : { questionId }),
  });
}

async function askByReply(ctx: BotContext, draft: Draft, asked: Asked, field: FormField): Promise<number> {
  const how = ctx.language.t(draft.view.kind === "card" ? "ask-by-reply" : "ask-by-reply-or-back");
  const words = `${address(ctx)}${question(ctx, draft, asked, field)} ${how}`;
  const { message_id } = await ctx.reply(words, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
  return message_id;
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

function question({ language }: BotContext, draft: Draft, asked: Asked, field: FormField): string {
  const { type, parameters } = draft;
  const subject = subjectOf(type, heldPictures(parameters), parameters);
  if (asked.kind === "text") return questionFor(field.name, subject, language);
  return `${parameterQuestion(field.name, language)} ${wordsFor(field, language) ?? ""}`.trim();
}
