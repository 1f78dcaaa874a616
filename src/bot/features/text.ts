import { isPrivate } from "../context.js";
import { refusalText } from "../create/need-text.js";
import { takeEdit } from "../create/take-message.js";
import { answerText, beginImage } from "./answer.js";
import { isAnswerToQuestion } from "./ask.js";
import { readCommand } from "./compose.js";
import type { EditContext, Feature, FeatureParts, MessageContext } from "./feature.js";
import { withoutMention } from "./mention.js";

/**
 * Plain text: what the card that is open in the chat asks for, or the prompt of a new image card. In a group
 * the bot reacts only to texts that name it, or answer the card of whoever writes.
 */
export const text: Feature = {
  name: "text",
  build(parts) {
    return {
      message(ctx) {
        const words = ctx.message.text;
        if (words === undefined || words.startsWith("/")) return undefined;
        return isPrivate(ctx) ? takePrivate(ctx, words, parts) : takeInGroup(ctx, words, parts);
      },
      edit: (ctx) => correct(ctx, parts),
    };
  },
};

async function takePrivate(ctx: MessageContext, words: string, parts: FeatureParts): Promise<void> {
  const draft = parts.drafts.composing(ctx.person.id, ctx.chatId);
  if (draft) await answerText(ctx, draft.id, parts);
  else await beginImage(ctx, words, parts);
}

async function takeInGroup(ctx: MessageContext, words: string, parts: FeatureParts): Promise<void> {
  const card = parts.drafts.composing(ctx.person.id, ctx.chatId);
  const isToCard = card?.messageId != null && ctx.message.reply_to_message?.message_id === card.messageId;
  if (card && (isToCard || isAnswerToQuestion(ctx))) return void (await answerText(ctx, card.id, parts));
  const prompt = withoutMention(words, ctx.me.username);
  if (prompt) await beginImage(ctx, prompt, parts);
  else if (prompt === "") await ctx.reply(ctx.language.t("mention-empty", { bot: ctx.me.username }));
}

/** Who edits the message that the prompt came with changes the prompt. */
async function correct(ctx: EditContext, { drafts, cards }: FeatureParts): Promise<void> {
  const { text: words, caption } = ctx.editedMessage;
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  if (draft?.promptMessageId !== ctx.msgId || draft === undefined) return;
  const said = readCommand(words ?? caption ?? "").words;
  const prompt = isPrivate(ctx) ? said : (withoutMention(said, ctx.me.username) ?? said);
  const models = await cards.models(ctx.person, draft.type);
  const outcome = await takeEdit(drafts, draft, prompt, models);
  if (outcome.kind === "taken") await cards.refresh(outcome.draft, ctx.person);
  if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
}
