import type { Opening } from "../../card/card-messages.js";
import { openCard, preferredModel } from "../../card/open-card.js";
import type { CardDeps } from "../../card/open-image-card.js";
import type { BotContext } from "../../context.js";
import type { Draft } from "../../draft/draft.js";
import { answerTap } from "../../middleware/tap-answers.js";
import type { StartData } from "./start-data.js";

/** Opens a card from a greeting's button. A second tap finds the same card. */
export async function beginByTap(ctx: BotContext, data: StartData, deps: CardDeps): Promise<void> {
  if (data.personId !== undefined && data.personId !== ctx.person.id)
    return answerTap(ctx, ctx.language.t("tap-not-yours"), { isAlert: true });
  const opening = await openingOf(ctx, data, deps);
  const open = ctx.chatId === undefined ? undefined : deps.drafts.composing(ctx.person.id, ctx.chatId);
  if (open && isUntouched(open, opening)) {
    const told = answerTap(ctx, ctx.language.t("start-card-open"));
    await Promise.all([told, deps.cards.refresh(open, ctx.person)]);
    return;
  }
  await openCard(ctx, opening, deps.cards);
}

async function openingOf(
  { language, msgId = 0, person }: BotContext,
  { type, isExample }: StartData,
  { cards, drafts }: CardDeps,
): Promise<Opening> {
  const empty = { type, messageId: msgId };
  if (!isExample) return empty;
  const model = preferredModel(await cards.models(person, type), drafts.lastModels(person.id));
  return { ...empty, ...(model && { model }), prompt: language.t(`example-${type}`) };
}

function isUntouched(open: Draft, { type, messageId, prompt }: Opening): boolean {
  const { revision, takenMessageId } = open;
  return (
    revision === 1 && takenMessageId === messageId && open.type === type && open.prompt === (prompt ?? null)
  );
}
