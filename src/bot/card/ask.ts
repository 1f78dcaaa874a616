import { type BotContext, inTopic, isPrivate } from "../context.js";
import type { Draft } from "../draft/draft.js";
import type { Field } from "../form/fields.js";
import { asksMainText } from "../form/open-question.js";
import { heldPictures } from "../form/picture-fields.js";
import { escapeHtml } from "../html.js";
import { questionFor, subjectOf } from "./missing-text.js";
import { parameterQuestion } from "./parameter-names.js";
import { wordsFor } from "./parameter-page.js";
import { PROMPT_DIALOG, type PromptDialogArguments } from "./prompt-dialog.js";

/** Asks in a separate message: in a group only replies are sure to reach the bot. */
export async function askByReply(ctx: BotContext, draft: Draft, field: Field): Promise<void> {
  const how = ctx.language.t(draft.view.kind === "card" ? "ask-by-reply" : "ask-by-reply-or-back");
  const words = `${address(ctx)}${question(ctx, draft, field)} ${how}`;
  const asked = await ctx.reply(words, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
  const dialog: PromptDialogArguments = { draftId: draft.id, questionId: asked.message_id, isGroup: true };
  await ctx.conversation.exitAll();
  await ctx.conversation.enter(PROMPT_DIALOG, dialog);
}

/** Says what is wrong with an answer. In a group it asks again: see `askByReply`. */
export async function askAgain(ctx: BotContext, words: string, field: Field | undefined): Promise<void> {
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

function question({ language }: BotContext, { type, view, parameters }: Draft, field: Field): string {
  const subject = subjectOf(type, heldPictures(parameters), parameters);
  if (asksMainText({ view })) return questionFor(field.name, subject, language);
  return `${parameterQuestion(field.name, language)} ${wordsFor(field, language) ?? ""}`.trim();
}
