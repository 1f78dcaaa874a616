import { Composer } from "grammy";
import { type BotContext, isPrivate } from "../context.js";
import { takePrompt } from "../create/take-prompt.js";
import type { Feature } from "./feature.js";
import { answerPrompt, openWithPrompt } from "./prompt.js";

/**
 * Plain text: the prompt of the card that is open in the chat, or of a new image card. In a group the bot
 * reacts only to texts that name it.
 */
export const text: Feature = {
  name: "text",
  build(parts) {
    const composer = new Composer<BotContext>();
    composer.on("message:text", async (ctx, next) => {
      const words = ctx.message.text;
      if (words.startsWith("/")) return next();
      if (!isPrivate(ctx)) {
        const prompt = withoutMention(words, ctx.me.username);
        if (prompt) await openWithPrompt(ctx, prompt, parts);
        return;
      }
      const draft = parts.drafts.composing(ctx.person.id, ctx.chatId);
      if (draft) await answerPrompt(ctx, draft.id, parts);
      else await openWithPrompt(ctx, words, parts);
    });
    composer.on("edited_message:text", async (ctx) => {
      const { drafts, cards } = parts;
      const draft = drafts.composing(ctx.person.id, ctx.chatId);
      if (draft?.promptMessageId !== ctx.msgId || draft === undefined) return;
      const prompt = ctx.editedMessage.text.replace(/^\/image(@\w+)?\s*/, "");
      const models = await cards.models(ctx.person, "image");
      const outcome = await takePrompt(drafts, draft.id, prompt, ctx.msgId, models);
      if (outcome.kind === "taken") await cards.refresh(outcome.draft, ctx.person);
    });
    return composer;
  },
};

/** The text of a message that names the bot, without the name; undefined when it does not. */
function withoutMention(words: string, username: string): string | undefined {
  const mention = new RegExp(`(^|\\s)@${username}\\b`, "i");
  return mention.test(words) ? words.replace(mention, " ").trim() : undefined;
}
