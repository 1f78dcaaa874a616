import { Composer, type Filter } from "grammy";
import { type BotContext, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { withoutMention } from "../../telegram/mention.js";
import { isPrivate } from "../../telegram/place.js";
import { isAnswerToQuestion } from "./card-question.js";
import { beginImage, type CardDeps } from "./open-kind.js";
import { takeDescription } from "./take-text.js";

type MessageContext = Filter<BotContext, "message">;

/** Takes plain text as the description of the open card, or as the prompt of a new image card. */
export function textFeature(deps: CardDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const words = textOf(ctx);
    if (words === undefined || words.startsWith("/")) return next();
    await (isPrivate(ctx) ? takePrivate(ctx, words, deps) : takeInGroup(ctx, words, deps));
  });
  return { name: "text", composer };
}

async function takePrivate(ctx: MessageContext, words: string, deps: CardDeps): Promise<void> {
  const draft = deps.drafts.composing(ctx.person.id, ctx.chatId);
  await (draft ? takeDescription(ctx, draft.id, deps) : beginImage(ctx, words, deps));
}

async function takeInGroup(ctx: MessageContext, words: string, deps: CardDeps): Promise<void> {
  const card = deps.drafts.composing(ctx.person.id, ctx.chatId);
  const isToCard = card?.messageId != null && ctx.message.reply_to_message?.message_id === card.messageId;
  if (card && (isToCard || isAnswerToQuestion(ctx))) return takeDescription(ctx, card.id, deps);
  const prompt = withoutMention(words, ctx.me.username);
  if (prompt) await beginImage(ctx, prompt, deps);
  else if (prompt === "") await ctx.reply(ctx.language.t("mention-empty"));
}
