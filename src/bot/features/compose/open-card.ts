import type { GenerationType, Model } from "../../../contract/model.js";
import type { CardMessages, Opening } from "../../card/card-messages.js";
import type { Draft } from "../../card/draft/draft.js";
import type { BotContext, Customer } from "../../context.js";
import { chatPlaceOf } from "../../telegram/place.js";
import { alertTap, answerTap } from "../../telegram/tap-answers.js";
import { inTopicOrGroup } from "../../telegram/topic.js";

/** Opens a card. Undefined, after a message about it, when the kind has no model. */
export async function openCard(
  ctx: BotContext,
  opening: Opening,
  cards: CardMessages,
): Promise<Draft | undefined> {
  const place = chatPlaceOf(ctx);
  if (!place) return undefined;
  if (await isKindOff(ctx, opening.type, cards)) return void (await sayKindIsOff(ctx, opening.type));
  const posted = inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(ctx, { ...place, threadId }, opening),
  );
  const [draft] = await Promise.all([posted, answerTap(ctx)]);
  return draft;
}

export async function isKindOff(
  customer: Customer,
  type: GenerationType,
  cards: CardMessages,
): Promise<boolean> {
  return (await cards.models(customer, type)).length === 0;
}

export async function sayKindIsOff(ctx: BotContext, type: GenerationType): Promise<void> {
  const words = ctx.language.t("kind-off", { type });
  if (!(await alertTap(ctx, words))) await ctx.reply(words);
}

/** Returns the model that the person paid for last, else the first one. */
export function preferredModel(models: readonly Model[], lastUsed: readonly string[]): Model | undefined {
  const used = lastUsed.map((key) => models.find(({ model_key }) => model_key === key));
  return used.find(Boolean) ?? models[0];
}
