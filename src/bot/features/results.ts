import { NOT_CONNECTED } from "../../contract/gateway.js";
import type { Model } from "../../contract/model.js";
import { type BotContext, placeOf } from "../context.js";
import type { Parameters } from "../create/form.js";
import { mainTextName } from "../create/relevance.js";
import type { Order } from "../orders/order.js";
import { readOrderData } from "../orders/order-data.js";
import { sendOriginals } from "../orders/originals.js";
import { answerTap, isRepeated } from "../tap-answers.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import type { Feature, FeatureParts } from "./feature.js";

/** The buttons under a result: the original files, and the same once more. */
export const results: Feature = {
  name: "results",
  build(parts) {
    return {
      tap(ctx, words) {
        const data = readOrderData(words);
        if (!data) return undefined;
        const { t } = ctx.language;
        const order = parts.orders.orders.find(data.orderId);
        if (!order) return answerTap(ctx, t("tap-unknown"));
        if (order.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
        if (data.action === "again") return composeAgain(ctx, order, parts);
        return handOverOriginals(ctx, order, parts);
      },
    };
  },
};

/** A new card with the same model, parameters and words: paying it is a confirmation of its own. */
async function composeAgain(ctx: BotContext, order: Order, { cards, drafts }: FeatureParts): Promise<void> {
  const place = placeOf(ctx);
  const { type, model_key } = order.request;
  const models = await cards.models(ctx.person, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!place || !model) return answerTap(ctx, ctx.language.t("again-model-gone"), { isAlert: true });
  // The draft still has the pictures as they lie in the chat; the links of the order are long out of date.
  const draft = drafts.find(order.draftId);
  const parameters = draft?.parameters ?? cards.startingParameters(ctx.person, model);
  const prompt = draft?.prompt ?? mainTextOf(order, model);
  const opening = { type, model, parameters, ...(prompt === undefined ? {} : { prompt }) };
  const posted = inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(ctx.person, { ...place, threadId }, opening),
  );
  await Promise.all([answerTap(ctx), posted]);
}

/** The main text of an order whose draft is kept no more. */
function mainTextOf({ request }: Order, model: Model): string | undefined {
  const name = mainTextName(model, request as Parameters);
  const text = name === undefined ? undefined : request[name];
  return typeof text === "string" ? text : undefined;
}

async function handOverOriginals(
  ctx: BotContext,
  order: Order,
  { api, orders, gateways, supportContact }: FeatureParts,
): Promise<void> {
  const { language, chatId } = ctx;
  const delivery = orders.deliveries.find(order.id);
  if (!delivery || chatId === undefined) return answerTap(ctx, language.t("tap-unknown"));
  await answerTap(ctx, language.t("originals-coming"));
  // They are on their way already.
  if (isRepeated(ctx)) return;
  const gateway = await gateways.of(ctx.person);
  if (gateway === NOT_CONNECTED) return;
  const { deliveries } = orders;
  const here = { ...order, chatId };
  await sendOriginals({ api, deliveries, gateway, language, supportContact }, here, delivery);
}
