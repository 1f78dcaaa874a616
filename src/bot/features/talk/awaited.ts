import { isAnswerToQuestion } from "../../card/ask.js";
import type { CardDeps } from "../../card/open-kind.js";
import { typedModel, typedSetting } from "../../card/typed-setting.js";
import { type BotContext, isPrivate } from "../../context.js";
import { modelOf } from "../../draft/draft.js";
import { fieldNamed, fieldsOf } from "../../form/fields.js";
import { openQuestion } from "../../form/open-question.js";

/**
 * What the next text is for. `any`: a question takes every text. `value`: the page takes values, and this is one.
 * `choice`: the page takes values, and this is none.
 */
export type Awaited = "any" | "value" | "choice" | undefined;

export async function awaitedOf(
  ctx: BotContext,
  words: string,
  { drafts, cards }: CardDeps,
): Promise<Awaited> {
  if (Object.keys(ctx.conversation.active()).length > 0) return "any";
  const draft = ctx.chatId === undefined ? undefined : drafts.composing(ctx.person.id, ctx.chatId);
  if (!draft) return undefined;
  const models = await cards.models(ctx, draft.type);
  const model = modelOf(draft, models);
  if (!model) return undefined;
  if (openQuestion(draft, models)?.kind === "text") return "any";
  if (draft.view.kind === "models") return typedModel(models, words) ? "value" : "choice";
  const field = draft.view.kind === "parameter" ? fieldNamed(fieldsOf(model), draft.view.name) : undefined;
  if (!field) return undefined;
  return typedSetting(field, words, ctx.language) === undefined ? "choice" : "value";
}

/** True in a group for an answer to a question, and for a reply to a message of the bot. */
export function isReplyToBot(ctx: BotContext): boolean {
  return (
    !isPrivate(ctx) && (isAnswerToQuestion(ctx) || ctx.message?.reply_to_message?.from?.id === ctx.me.id)
  );
}
