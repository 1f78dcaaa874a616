import type { Filter } from "grammy";
import { isAnswerToQuestion } from "../../card/ask.js";
import type { CardDeps } from "../../card/open-kind.js";
import { type BotContext, isPrivate } from "../../context.js";
import { openQuestion } from "../../form/open-question.js";
import { withoutMention } from "../../telegram/mention.js";
import { isGreeting } from "./is-greeting.js";

/** True for a greeting to the bot that does not answer a question. */
export async function greetsBot(
  ctx: Filter<BotContext, "message:text">,
  greetings: ReadonlySet<string>,
  deps: CardDeps,
): Promise<boolean> {
  const { text, reply_to_message: repliedTo } = ctx.message;
  if (ctx.longText) return false;
  if (isPrivate(ctx)) return isGreeting(text, greetings) && !(await isTextAwaited(ctx, deps));
  const words = withoutMention(text, ctx.me.username);
  const isToCard = isAnswerToQuestion(ctx) || repliedTo?.from?.id === ctx.me.id;
  return words !== undefined && !isToCard && isGreeting(words, greetings);
}

async function isTextAwaited({ person, chatId }: BotContext, { drafts, cards }: CardDeps): Promise<boolean> {
  const draft = chatId === undefined ? undefined : drafts.composing(person.id, chatId);
  if (!draft || draft.modelKey === null) return false;
  if (draft.prompt === null && draft.view.kind === "card") return true;
  return openQuestion(draft, await cards.models(person, draft.type)) !== undefined;
}
