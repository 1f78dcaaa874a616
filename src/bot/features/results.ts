import { NOT_CONNECTED } from "../../contract/gateway.js";
import { type BotContext, placeOf } from "../context.js";
import { composedAgain } from "../create/draft-request.js";
import type { Parameters } from "../create/form.js";
import { heldPictures } from "../create/picture-slots.js";
import type { Order } from "../orders/order.js";
import { readOrderData } from "../orders/order-data.js";
import { sendOriginals } from "../orders/originals.js";
import { answerTap, concludeTap, isRepeated } from "../tap-answers.js";
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

/**
 * A new card with the model, parameters and words of the order, and with its pictures while its draft is kept:
 * paying it is a confirmation of its own.
 */
async function composeAgain(ctx: BotContext, order: Order, { cards, drafts }: FeatureParts): Promise<void> {
  const place = placeOf(ctx);
  const { type, model_key } = order.request;
  const models = await cards.models(ctx.person, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!place || !model) return answerTap(ctx, ctx.language.t("again-model-gone"), { isAlert: true });
  const { parameters, prompt } = composedAgain(order.request, model, drafts.find(order.draftId));
  const opening = { type, model, parameters, ...(prompt === null ? {} : { prompt }) };
  const hasLostPictures = heldPictures(parameters) < heldPictures(order.request as Parameters);
  const posted = inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(ctx.person, { ...place, threadId }, opening),
  );
  const words = hasLostPictures ? ctx.language.t("again-pictures-gone") : undefined;
  await Promise.all([answerTap(ctx, words, { isAlert: hasLostPictures }), posted]);
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
  const onArrived = () => concludeTap(ctx);
  await sendOriginals({ api, deliveries, gateway, language, supportContact, onArrived }, here, delivery);
}
