import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { asCommand, isPrivate } from "../telegram/place.js";
import { cleanText } from "../texts/html.js";
import { readWords, type WordLists } from "../texts/read-words.js";

/** Passes a message to the open question of the chat first. In a private chat the word "cancel" is the command. */
export function questionsFeature(features: readonly Feature[], words: WordLists): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message:text", async (ctx, next) => {
    const isWord = isPrivate(ctx) && !ctx.longText;
    if (isWord && readWords(cleanText(ctx.message.text), words)?.kind === "cancel") asCommand(ctx, "cancel");
    await next();
  });
  for (const { questions = [] } of features) composer.use(...questions.map(({ middleware }) => middleware));
  return { composer };
}
