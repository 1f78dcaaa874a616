import { Composer, type Filter } from "grammy";
import { isAnswerToQuestion } from "../../card/ask.js";
import { refusalText } from "../../card/missing-text.js";
import { beginImage, type CardDeps } from "../../card/open-kind.js";
import { answerText, refuseWordless } from "../../card/take-text.js";
import { type BotContext, isPrivate, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { takeEdit } from "../../form/apply-message.js";
import { openQuestion } from "../../form/open-question.js";
import { readCommand } from "../../form/parse-command.js";
import { withoutMention } from "../../telegram/mention.js";
import { isCommand } from "../../telegram/message-content.js";
import { SeenAlbums } from "../../telegram/seen-albums.js";
import { readRequest } from "../../words/read-words.js";
import type { WordLists } from "../../words/word-lists.js";

type MessageContext = Filter<BotContext, "message">;
type EditContext = Filter<BotContext, "edited_message">;

interface TextDeps extends CardDeps {
  words: WordLists;
}

/** Takes plain text as the answer to the open card, or as the prompt of a new image card. */
export function textFeature(deps: TextDeps): Feature {
  const seen = new SeenAlbums();
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const words = textOf(ctx);
    if (!words?.startsWith("/") && words !== undefined) {
      return isPrivate(ctx) ? takePrivate(ctx, words, deps) : takeInGroup(ctx, words, deps);
    }
    const asked = isPrivate(ctx) && !isCommand(ctx.message) ? await askedIn(ctx, deps) : undefined;
    if (!asked) return next();
    if (words !== undefined) await takePrivate(ctx, words, deps);
    else if (seen.isFirst(ctx.message)) await refuseWordless(ctx, asked);
  });
  composer.on("edited_message", (ctx) => correct(ctx, deps));
  return { name: "text", composer };
}

async function askedIn({ person, chatId, gateway }: MessageContext, { drafts, cards }: CardDeps) {
  const draft = drafts.composing(person.id, chatId);
  return draft && openQuestion(draft, await cards.models({ gateway }, draft.type));
}

async function takePrivate(ctx: MessageContext, words: string, deps: CardDeps): Promise<void> {
  const draft = deps.drafts.composing(ctx.person.id, ctx.chatId);
  if (draft) await answerText(ctx, draft.id, deps);
  else await beginImage(ctx, words, deps);
}

async function takeInGroup(ctx: MessageContext, words: string, deps: CardDeps): Promise<void> {
  const card = deps.drafts.composing(ctx.person.id, ctx.chatId);
  const isToCard = card?.messageId != null && ctx.message.reply_to_message?.message_id === card.messageId;
  if (card && (isToCard || isAnswerToQuestion(ctx))) return void (await answerText(ctx, card.id, deps));
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
  if (outcome.kind === "taken") await cards.refresh(outcome.draft, ctx);
  if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
}
