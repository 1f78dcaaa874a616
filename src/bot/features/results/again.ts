import { askByReply } from "../../card/ask.js";
import { type BotContext, isPrivate } from "../../context.js";
import type { View } from "../../draft/draft.js";
import { composedAgain } from "../../form/compose-again.js";
import { evaluateForm, type FormState } from "../../form/evaluate-form.js";
import type { Parameters } from "../../form/fields.js";
import { openQuestion } from "../../form/open-question.js";
import { heldPictures } from "../../form/picture-fields.js";
import { answerTap } from "../../middleware/tap-answers.js";
import { styleField } from "../../orders/delivery/result-actions.js";
import type { Order } from "../../orders/store/order.js";
import { openOnce, type ResultCardDeps } from "./open-once.js";

type Again = "again" | "another" | "restyle";

/** Opens a card from an order, with its pictures while the order's draft is kept. */
export async function composeAgain(
  ctx: BotContext,
  order: Order,
  action: Again,
  deps: ResultCardDeps,
): Promise<void> {
  const { type, model_key } = order.request;
  const models = await deps.cards.models(ctx.person, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!model) return answerTap(ctx, ctx.language.t("again-model-gone"), { isAlert: true });
  const ordered = deps.drafts.find(order.draftId);
  const composed = composedAgain(order.request, model, ordered);
  const { parameters, prompt } = composed;
  const hasLostPictures = heldPictures(parameters) < heldPictures(order.request as Parameters);
  const form = evaluateForm(model, composed);
  const view = viewFor(action, order, form, hasLostPictures);
  const chosen = ordered?.chosen ?? [];
  const opening = { type, model, parameters, view, chosen, ...(prompt === null ? {} : { prompt }) };
  const words = hasLostPictures ? ctx.language.t("again-pictures-gone") : undefined;
  const [, draft] = await Promise.all([
    answerTap(ctx, words, { isAlert: hasLostPictures }),
    openOnce(ctx, opening, deps),
  ]);
  // In a group only replies are sure to reach the bot.
  const asked = draft && !isPrivate(ctx) ? openQuestion(draft, models) : undefined;
  if (draft && asked) await askByReply(ctx, draft, asked);
}

function viewFor(
  action: Again,
  { request }: Order,
  { fields, payable }: FormState,
  hasLostPictures: boolean,
): View {
  const isUnchanged = payable !== undefined && !hasLostPictures;
  if (action === "another" && isUnchanged) return { kind: "short" };
  const name = action === "restyle" ? styleField(fields, request) : undefined;
  return name === undefined ? { kind: "card" } : { kind: "parameter", name };
}
