import { Composer, type Filter } from "grammy";
import { takeEdit } from "../../card/form/apply-message.js";
import { readCommand } from "../../card/form/parse-command.js";
import { refusalText } from "../../card/missing-text.js";
import { type BotContext, textOf } from "../../context.js";
import { leaveQuestion } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { withoutMention } from "../../telegram/mention.js";
import { isPrivate } from "../../telegram/place.js";
import { readMediaRequest } from "../../texts/words/read-words.js";
import type { WordLists } from "../../texts/words/word-lists.js";
import { areWordsAllowed } from "./allowed-words.js";
import { CARD_QUESTION, isAnswerToQuestion } from "./card-question.js";
import { beginImage, type CardDeps } from "./open-kind.js";
import { takeDescription } from "./take-text.js";

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

async function correct(ctx: EditContext, deps: TextDeps): Promise<void> {
  const { drafts, cards, words } = deps;
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  const messageId = ctx.longText?.messageId ?? ctx.msgId;
  if (draft?.promptMessageId !== messageId || draft === undefined) return;
  const said = readCommand(textOf(ctx) ?? ctx.editedMessage.caption ?? "").words;
  const own = isPrivate(ctx) ? said : (withoutMention(said, ctx.me.username) ?? said);
  const prompt = readMediaRequest(own, words.request)?.text || own;
  if (!(await areWordsAllowed(prompt, deps)))
    return void (await ctx.reply(refusalText({ kind: "content" }, ctx.language)));
  const models = await cards.models(ctx, draft.type);
  const outcome = await takeEdit(drafts, draft, prompt, models);
  if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
  if (outcome.kind !== "taken") return;
  // The card is shown whole.
  await leaveQuestion(ctx, CARD_QUESTION);
  await cards.refresh(outcome.draft, ctx);
}
