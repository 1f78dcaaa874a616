import type { Model } from "../../contract/model.js";
import { type BotContext, inTopic, isPrivate } from "../context.js";
import { wordsFor } from "../create/card-parameter.js";
import type { Draft } from "../create/draft.js";
import { questionFor } from "../create/need-text.js";
import { parameterName } from "../create/parameter-names.js";
import { PROMPT_DIALOG, type PromptDialogArguments } from "../create/prompt-dialog.js";
import { mainTextName } from "../create/relevance.js";
import { askedControl } from "../create/take-message.js";
import type { Dialogs } from "../dialogs.js";
import { escapeHtml } from "../html.js";
import { answerTap } from "../tap-answers.js";

/** True when the card shows a parameter that a message sets. */
export function isAskedInWords(draft: Draft, model: Model | undefined): boolean {
  return model !== undefined && askedControl(draft, model) !== undefined;
}

/**
 * Asks, in a message of its own, for what the card shows, or for the main text. A group needs it, since only
 * answers to the bot reach it there; in a private chat the next message counts with or without it.
 */
export async function askFor(
  ctx: BotContext,
  draft: Draft,
  model: Model | undefined,
  dialogs: Dialogs,
): Promise<void> {
  const { t } = ctx.language;
  await answerTap(ctx);
  const isGroup = !isPrivate(ctx);
  const words = model ? question(ctx, draft, model) : t("prompt-empty");
  const how = t(isGroup ? "ask-by-reply" : "ask-by-message");
  const asked = await ctx.reply(`${address(ctx)}${words} ${how}`, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: isGroup },
  });
  const dialog: PromptDialogArguments = { draftId: draft.id, questionId: asked.message_id, isGroup };
  await dialogs.within(ctx, async ({ exitAll, enter }) => {
    await exitAll();
    await enter(PROMPT_DIALOG, dialog);
  });
}

/**
 * Says what is wrong with an answer. In a group it is a question once more, since only answers to the bot reach it
 * there.
 */
export async function askAgain(ctx: BotContext, words: string): Promise<void> {
  if (isPrivate(ctx)) return void (await ctx.reply(words));
  await ctx.reply(`${address(ctx)}${escapeHtml(words)} ${ctx.language.t("ask-by-reply")}`, {
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
}

/** True for an answer to a message in which the bot addresses this very person: older questions count too. */
export function isAnswerToQuestion({ message, me, person }: BotContext): boolean {
  const asked = message?.reply_to_message;
  if (asked?.from?.id !== me.id) return false;
  return asked.entities?.some((part) => part.type === "text_mention" && part.user.id === person.id) ?? false;
}

/** In a group a question begins with the name of whom it is for. */
function address(ctx: BotContext): string {
  if (isPrivate(ctx)) return "";
  return `<a href="tg://user?id=${ctx.person.id}">${escapeHtml(ctx.person.name)}</a>: `;
}

function question({ language }: BotContext, draft: Draft, model: Model): string {
  const control = askedControl(draft, model);
  if (control) {
    return `<b>${escapeHtml(parameterName(control.name, language))}</b>. ${wordsFor(control, language) ?? ""}`;
  }
  const main = mainTextName(model, draft.parameters);
  return main === undefined ? language.t("prompt-empty") : questionFor(main, model, language);
}
