import { type Kopecks, leftOf, NO_KOPECKS } from "../../../contract/money.js";
import type { CardMessages } from "../../card/card-messages.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import { evaluateForm } from "../../card/form/evaluate-form.js";
import type { BotContext } from "../../context.js";

/** Returns what the balance lacks for the card that is open in the private chat. */
export async function missingSum(
  ctx: BotContext,
  balanceKopecks: Kopecks,
  { drafts, cards }: { drafts: Pick<Drafts, "composing">; cards: Pick<CardMessages, "models"> },
): Promise<Kopecks> {
  const draft = drafts.composing(ctx.person.id, ctx.person.id);
  if (!draft) return NO_KOPECKS;
  const models = await cards.models(ctx, draft.type);
  const model = models.find(({ model_key }) => model_key === draft.modelKey);
  const total = model && evaluateForm(model, draft).total;
  return total === undefined ? NO_KOPECKS : leftOf(total, balanceKopecks);
}
