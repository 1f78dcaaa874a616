import { isDeepStrictEqual } from "node:util";
import type { CardMessages, Opening } from "../../card/card-messages.js";
import type { Draft } from "../../card/draft/draft.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { BotContext } from "../../context.js";
import { chatPlaceOf } from "../../telegram/place.js";
import { inTopicOrGroup } from "../../telegram/topic.js";

export interface ResultCardDeps {
  cards: CardMessages;
  drafts: Drafts;
}

/** Opens a card, whose text is a parameter. An identical open one is sent again, so a double tap opens one. */
export async function openOnce(
  ctx: BotContext,
  opening: Omit<Opening, "text"> & { model: NonNullable<Opening["model"]> },
  { cards, drafts }: ResultCardDeps,
): Promise<Draft | undefined> {
  const place = chatPlaceOf(ctx);
  if (!place) return undefined;
  const open = drafts.composing(ctx.person.id, place.chatId);
  if (open && isSame(open, opening)) {
    await cards.repost(open, ctx);
    return open;
  }
  return inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(ctx, { ...place, threadId }, opening),
  );
}

function isSame(open: Draft, opening: Parameters<typeof openOnce>[1]): boolean {
  const { type, model, parameters = {}, view = { kind: "card" } } = opening;
  const { type: openType, modelKey, parameters: held, view: shown } = open;
  return isDeepStrictEqual([openType, modelKey, held, shown], [type, model.model_key, parameters, view]);
}
