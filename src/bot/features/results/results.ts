import { type Api, Composer } from "grammy";
import { NOT_CONNECTED } from "../../../ports/gateway.js";
import type { CardMessages } from "../../card/card-messages.js";
import { type BotContext, placeOf } from "../../context.js";
import type { Drafts } from "../../draft/draft-store.js";
import type { Feature } from "../../feature.js";
import { composedAgain } from "../../form/compose-again.js";
import type { Parameters } from "../../form/fields.js";
import { heldPictures } from "../../form/picture-fields.js";
import { answerTap, concludeTap, isRepeated } from "../../middleware/tap-answers.js";
import { sendOriginals } from "../../orders/delivery/originals.js";
import { orderData } from "../../orders/order-data.js";
import type { OrderService } from "../../orders/order-service.js";
import type { Order } from "../../orders/store/order.js";
import { inTopicOrGroup } from "../../telegram/topic.js";

interface ResultsDeps {
  api: Api;
  drafts: Drafts;
  cards: CardMessages;
  orders: OrderService;
  supportContact: string | undefined;
}

export function resultsFeature(deps: ResultsDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.callbackQuery(orderData.pattern, async (ctx, next) => {
    const data = orderData.decode(ctx.callbackQuery.data);
    if (!data) return next();
    const { t } = ctx.language;
    const order = deps.orders.orders.find(data.orderId);
    if (!order) return answerTap(ctx, t("tap-unknown"));
    if (order.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
    if (data.action === "deliver") return deliverExpired(ctx, order, deps);
    if (data.action === "again") return composeAgain(ctx, order, deps);
    await handOverOriginals(ctx, order, deps);
  });
  return { name: "results", callbackPrefixes: [orderData.prefix], composer };
}

/** Opens a new card from the order. Pictures are included while its draft is kept. */
async function composeAgain(ctx: BotContext, order: Order, { cards, drafts }: ResultsDeps): Promise<void> {
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

/** Sends the files that expired while the person was unreachable. */
async function deliverExpired(ctx: BotContext, order: Order, { orders }: ResultsDeps): Promise<void> {
  const { t } = ctx.language;
  const reopened = await orders.deliverExpired(ctx.person.id);
  const isComing = reopened > 0 || orders.orders.findDelivery(order.id)?.state === "pending";
  await answerTap(ctx, t(isComing ? "delivery-coming" : "delivery-over"));
}

async function handOverOriginals(
  ctx: BotContext,
  order: Order,
  { api, orders, supportContact }: ResultsDeps,
): Promise<void> {
  const { language, chatId } = ctx;
  const delivery = orders.orders.findDelivery(order.id);
  if (!delivery || chatId === undefined) return answerTap(ctx, language.t("tap-unknown"));
  await answerTap(ctx, language.t("originals-coming"));
  // The first tap is already sending them.
  if (isRepeated(ctx)) return;
  const { gateway } = ctx;
  if (gateway === NOT_CONNECTED) return;
  const here = { ...order, chatId };
  const onArrived = () => concludeTap(ctx);
  const to = { api, orders: orders.orders, gateway, language, supportContact, onArrived };
  await sendOriginals(to, here, delivery);
}
