import { Composer, type Filter } from "grammy";
import { leaveQuestion } from "../../ask.js";
import { CARD_QUESTION, isAnswerToQuestion } from "../../card/ask.js";
import { refusalText } from "../../card/missing-text.js";
import { beginImage, type CardDeps } from "../../card/open-kind.js";
import { takeDescription } from "../../card/take-text.js";
import { type BotContext, isPrivate, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { takeEdit } from "../../form/apply-message.js";
import { readCommand } from "../../form/parse-command.js";
import { withoutMention } from "../../telegram/mention.js";
import { readRequest } from "../../words/read-words.js";
import type { WordLists } from "../../words/word-lists.js";

type MessageContext = Filter<BotContext, "message">;
type EditContext = Filter<BotContext, "edited_message">;

interface TextDeps extends CardDeps {
  words: WordLists;
}

/** Takes plain text as the description of the open card, or as the prompt of a new image card. */
export function textFeature(deps: TextDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const words = textOf(ctx);
    if (words === undefined || words.startsWith("/")) return next();
    await (isPrivate(ctx) ? takePrivate(ctx, words, deps) : takeInGroup(ctx, words, deps));
  });
  composer.on("edited_message", (ctx) => correct(ctx, deps));
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

async function correct(ctx: EditContext, { drafts, cards, words }: TextDeps): Promise<void> {
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  const messageId = ctx.longText?.messageId ?? ctx.msgId;
  if (draft?.promptMessageId !== messageId || draft === undefined) return;
  const said = readCommand(textOf(ctx) ?? ctx.editedMessage.caption ?? "").words;
  const own = isPrivate(ctx) ? said : (withoutMention(said, ctx.me.username) ?? said);
  const prompt = readRequest(own, words.request)?.text || own;
  const models = await cards.models(ctx, draft.type);
  const outcome = await takeEdit(drafts, draft, prompt, models);
  if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
  if (outcome.kind !== "taken") return;
  // The card is shown whole.
  await leaveQuestion(ctx, CARD_QUESTION);
  await cards.refresh(outcome.draft, ctx);
}
