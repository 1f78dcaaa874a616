import { type BotContext, placeOf } from "../context.js";
import type { Draft } from "../create/draft.js";
import { takePrompt } from "../create/take-prompt.js";
import { cleanText } from "../html.js";
import type { FeatureParts } from "./feature.js";

/**
 * Tries the text of a message as the prompt of a draft, and answers: with the card where it was taken, with
 * what is wrong where it was not. True when nothing more is to be asked.
 */
export async function answerPrompt(ctx: BotContext, draftId: number, parts: FeatureParts): Promise<boolean> {
  const { t } = ctx.language;
  const text = ctx.message?.text;
  if (text === undefined) {
    await ctx.reply(t("prompt-no-text"));
    return false;
  }
  const models = await parts.cards.models(ctx.person, "image");
  const outcome = await takePrompt(parts.drafts, draftId, text, ctx.msgId ?? 0, models);
  switch (outcome.kind) {
    case "taken":
      await parts.cards.repost(outcome.draft, ctx.person);
      return true;
    case "empty":
      await ctx.reply(t("prompt-empty"));
      return false;
    case "too_long":
      await ctx.reply(t("prompt-too-long", { max: outcome.max }));
      return false;
    case "gone":
      await openWithPrompt(ctx, text, parts);
      return true;
  }
}

/** Opens an image card with a prompt, for the model that its person used last. */
export async function openWithPrompt(
  ctx: BotContext,
  text: string,
  parts: FeatureParts,
): Promise<Draft | undefined> {
  const place = placeOf(ctx);
  const prompt = cleanText(text);
  if (!place || prompt === "") return undefined;
  const { cards, drafts } = parts;
  const models = await cards.models(ctx.person, "image");
  const used = drafts.lastModels(ctx.person.id);
  const model =
    used.map((key) => models.find(({ model_key }) => model_key === key)).find(Boolean) ?? models[0];
  const opening = {
    type: "image" as const,
    prompt,
    ...(ctx.msgId === undefined ? {} : { promptMessageId: ctx.msgId }),
  };
  return cards.open(ctx.person, place, model ? { ...opening, model } : opening);
}
