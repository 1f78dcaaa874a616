import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { asCommand, isPrivate } from "../telegram/place.js";
import { cleanText } from "../texts/html.js";
import type { ReadIntent } from "../texts/read-intent.js";

/** Passes a message to the open question of the chat first. In a private chat the word "cancel" is the command. */
export function questionsFeature(features: readonly Feature[], readIntent: ReadIntent): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message:text", async (ctx, next) => {
    const isWord = isPrivate(ctx) && !ctx.longText;
    const intent = isWord ? await readIntent(cleanText(ctx.message.text)) : undefined;
    if (intent?.kind === "command" && intent.name === "cancel") asCommand(ctx, "cancel");
    await next();
  });
  for (const { questions = [] } of features) composer.use(...questions);
  return { composer };
}
