import { type BotContext, inTopic, isPrivate } from "../context.js";
import type { Draft } from "../draft/draft.js";
import { askedField } from "../form/apply-message.js";
import type { FormState } from "../form/evaluate-form.js";
import { escapeHtml } from "../html.js";
import { answerTap } from "../middleware/tap-answers.js";
import { questionFor } from "./missing-text.js";
import { parameterName } from "./parameter-names.js";
import { wordsFor } from "./parameter-page.js";
import { PROMPT_DIALOG, type PromptDialogArguments } from "./prompt-dialog.js";

export function isAskedInWords(draft: Draft, form: FormState | undefined): boolean {
  return form !== undefined && askedField(draft, form.fields) !== undefined;
}

/** Asks for what the card shows, or for the main text. In a group only replies reach the bot. */
export async function askFor(ctx: BotContext, draft: Draft, form: FormState | undefined): Promise<void> {
  const { t } = ctx.language;
  await answerTap(ctx);
  const isGroup = !isPrivate(ctx);
  const words = form ? question(ctx, draft, form) : t("prompt-empty");
  const how = t(isGroup ? "ask-by-reply" : "ask-by-message");
  const asked = await ctx.reply(`${address(ctx)}${words} ${how}`, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: isGroup },
  });
  const dialog: PromptDialogArguments = { draftId: draft.id, questionId: asked.message_id, isGroup };
  await ctx.conversation.exitAll();
  await ctx.conversation.enter(PROMPT_DIALOG, dialog);
}

/** Says what is wrong with an answer. In a group it is a question again: see `askFor`. */
export async function askAgain(ctx: BotContext, words: string): Promise<void> {
  if (isPrivate(ctx)) return void (await ctx.reply(words));
  await ctx.reply(`${address(ctx)}${escapeHtml(words)} ${ctx.language.t("ask-by-reply")}`, {
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

function question({ language }: BotContext, draft: Draft, { fields, mainText, model }: FormState): string {
  const field = askedField(draft, fields);
  if (field) {
    return `<b>${escapeHtml(parameterName(field.name, language))}</b>. ${wordsFor(field, language) ?? ""}`;
  }
  return mainText === undefined ? language.t("prompt-empty") : questionFor(mainText, model, language);
}
