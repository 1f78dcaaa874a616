import type { Draft, View } from "../../card/draft/draft.js";
import { composedAgain } from "../../card/form/compose-again.js";
import { evaluateForm, type FormState } from "../../card/form/evaluate-form.js";
import type { Parameters } from "../../card/form/fields.js";
import { otherModel } from "../../card/form/other-model.js";
import { heldPictures } from "../../card/form/picture-fields.js";
import { leftOutText } from "../../card/left-out-text.js";
import type { BotContext } from "../../context.js";
import { styleField } from "../../orders/delivery/result-actions.js";
import type { Order } from "../../orders/store/order.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { askOnCard } from "../compose/card-question.js";
import { openOnce, type ResultCardDeps } from "./open-once.js";

/** The request of an order, ready to be changed or paid again. */
export interface Recomposed extends Pick<Draft, "parameters" | "chosen"> {
  form: FormState;
  hasLostPictures: boolean;
}

/** Recomposes an order. Undefined, after an answer, when its model is gone. Pictures come from a kept draft. */
export async function recompose(
  ctx: BotContext,
  order: Order,
  { cards, drafts }: ResultCardDeps,
): Promise<Recomposed | undefined> {
  const { type, model_key } = order.request;
  const models = await cards.models(ctx, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!model) return void (await answerTap(ctx, ctx.language.t("again-model-gone"), { isAlert: true }));
  const ordered = drafts.find(order.draftId);
  const parameters = composedAgain(order.request, model, ordered);
  const hasLostPictures = heldPictures(parameters) < heldPictures(order.request as Parameters);
  return {
    parameters,
    chosen: ordered?.chosen ?? [],
    form: evaluateForm(model, { parameters }),
    hasLostPictures,
  };
}

export async function composeAgain(
  ctx: BotContext,
  order: Order,
  action: "again" | "restyle",
  deps: ResultCardDeps,
): Promise<void> {
  const again = await recompose(ctx, order, deps);
  if (!again) return;
  const name = action === "restyle" ? styleField(again.form.fields, order.request) : undefined;
  const view = name === undefined ? ({ kind: "card" } as const) : ({ kind: "parameter", name } as const);
  await openRecomposed(ctx, again, deps, { view });
}

/** Opens a full card with the request of an order on the next model that takes it. */
export async function composeOnOther(ctx: BotContext, order: Order, deps: ResultCardDeps): Promise<void> {
  const again = await recompose(ctx, order, deps);
  if (!again) return;
  const models = await deps.cards.models(ctx, order.request.type);
  const other = otherModel(order.request, models, deps.drafts.find(order.draftId));
  if (!other) return answerTap(ctx, ctx.language.t("other-model-none"), { isAlert: true });
  const words = leftOutText(other.leftOut, ctx.language);
  const { hasLostPictures, chosen } = again;
  await openRecomposed(
    ctx,
    { ...other, chosen, hasLostPictures },
    deps,
    words === undefined ? {} : { words },
  );
}

/** Opens a card from an order. `words` answer the tap, unless pictures were lost. */
export async function openRecomposed(
  ctx: BotContext,
  { form, parameters, chosen, hasLostPictures }: Recomposed,
  deps: ResultCardDeps,
  { view = { kind: "card" }, words }: { view?: View; words?: string },
): Promise<void> {
  const { model } = form;
  const opening = {
    type: model.type,
    model,
    parameters,
    view,
    chosen,
  };
  const said = hasLostPictures ? ctx.language.t("again-pictures-gone") : words;
  const [, draft] = await Promise.all([
    answerTap(ctx, said, { isAlert: hasLostPictures }),
    openOnce(ctx, opening, deps),
  ]);
  if (draft) await askOnCard(ctx, draft, model);
}
