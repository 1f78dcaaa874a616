import { Composer } from "grammy";
import { type BotContext, isPrivate } from "../context.js";
import { refusalText } from "../create/need-text.js";
import { takeEdit } from "../create/take-message.js";
import { answerText, beginningOf, openImageCard } from "./answer.js";
import { readCommand } from "./compose.js";
import type { Feature } from "./feature.js";
import { withoutMention } from "./mention.js";

/**
 * Plain text: what the card that is open in the chat asks for, or the prompt of a new image card. In a group
 * the bot reacts only to texts that name it, or answer the card of whoever writes.
 */
export const text: Feature = {
  name: "text",
  build(parts) {
    const composer = new Composer<BotContext>();
    composer.on("message:text", async (ctx, next) => {
      const words = ctx.message.text;
      if (words.startsWith("/")) return next();
      if (!isPrivate(ctx)) {
        const card = parts.drafts.composing(ctx.person.id, ctx.chatId);
        const isToCard =
          card?.messageId != null && ctx.message.reply_to_message?.message_id === card.messageId;
        if (isToCard) return void (await answerText(ctx, card.id, parts));
        const prompt = withoutMention(words, ctx.me.username);
        if (prompt) await openImageCard(ctx, beginningOf(prompt), parts);
        else if (prompt === "") await ctx.reply(ctx.language.t("mention-empty", { bot: ctx.me.username }));
        return;
      }
      const draft = parts.drafts.composing(ctx.person.id, ctx.chatId);
      if (draft) return void (await answerText(ctx, draft.id, parts));
      await openImageCard(ctx, beginningOf(words), parts);
    });
    composer.on("edited_message", async (ctx) => {
      const { drafts, cards } = parts;
      const { text: words, caption } = ctx.editedMessage;
      const draft = drafts.composing(ctx.person.id, ctx.chatId);
      if (draft?.promptMessageId !== ctx.msgId || draft === undefined) return;
      const said = readCommand(words ?? caption ?? "").words;
      const prompt = isPrivate(ctx) ? said : (withoutMention(said, ctx.me.username) ?? said);
      const models = await cards.models(ctx.person, draft.type);
      const outcome = await takeEdit(drafts, draft, prompt, models);
      if (outcome.kind === "taken") await cards.refresh(outcome.draft, ctx.person);
      if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
    });
    return composer;
  },
};
