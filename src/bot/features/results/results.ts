import { type Api, Composer } from "grammy";
import { BoundedMap } from "../../../platform/bounded-map.js";
import { gatewayOf } from "../../account-needed.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { sendOriginals } from "../../orders/delivery/originals.js";
import { type OrderData, orderData } from "../../orders/order-data.js";
import type { Order } from "../../orders/store/order.js";
import { answerTap, concludeTap, isRepeated } from "../../telegram/tap-answers.js";
import { composeAgain, composeOnOther } from "./again.js";
import { type AnotherDeps, orderAnother } from "./another.js";
import { beginFromPicture, showActions } from "./from-picture.js";

/** The number of remembered buttons. One that is forgotten may take the second tap of a double one for a new wish. */
const BUTTONS_REMEMBERED = 2000;

interface ResultsDeps extends AnotherDeps {
  api: Api;
}

export function resultsFeature(parts: Omit<ResultsDeps, "drawnAt">): Feature {
  const deps: ResultsDeps = { ...parts, drawnAt: new BoundedMap(BUTTONS_REMEMBERED) };
  const composer = new Composer<BotContext>();
  composer.use(
    taps(orderData, async (ctx, data) => {
      const { t } = ctx.language;
      const order = deps.orders.find(data.orderId);
      if (!order) return answerTap(ctx, t("tap-unknown"));
      if (order.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
      await handle(ctx, order, data, deps);
    }),
  );
  return { name: "results", callbackPrefixes: [orderData.prefix], composer };
}

async function handle(ctx: BotContext, order: Order, data: OrderData, deps: ResultsDeps): Promise<void> {
  switch (data.action) {
    case "deliver":
      return deliverExpired(ctx, order, deps);
    case "original":
    case "link":
      return handOverOriginals(ctx, order, data.action, deps);
    case "actions":
      return showActions(ctx, order, deps);
    case "again":
    case "restyle":
      return isRepeated(ctx) ? answerTap(ctx) : composeAgain(ctx, order, data.action, deps);
    case "model":
      return isRepeated(ctx) ? answerTap(ctx) : composeOnOther(ctx, order, deps);
    case "another":
      if (isRepeated(ctx)) return answerTap(ctx);
      // A message of an earlier release has a button without a price.
      return data.take ? orderAnother(ctx, order, data.take, deps) : composeAgain(ctx, order, "again", deps);
    case "edit":
    case "animate": {
      const { action, index } = data;
      const wanted = index === undefined ? { action } : { action, index };
      return isRepeated(ctx) ? answerTap(ctx) : beginFromPicture(ctx, order, wanted, deps);
    }
  }
}

/** Sends the files that expired while the person was unreachable. */
async function deliverExpired(
  ctx: BotContext,
  order: Order,
  { orders, orderService }: ResultsDeps,
): Promise<void> {
  const { t } = ctx.language;
  const reopened = await orderService.deliverExpired(ctx.person.id);
  const isComing = reopened > 0 || orders.findDelivery(order.id)?.state === "pending";
  await answerTap(ctx, t(isComing ? "delivery-coming" : "delivery-over"));
}

async function handOverOriginals(
  ctx: BotContext,
  order: Order,
  action: "original" | "link",
  { api, orders, gateways, supportContact, requestBytesMax }: ResultsDeps,
): Promise<void> {
  const { language, chatId } = ctx;
  const delivery = orders.findDelivery(order.id);
  if (!delivery || chatId === undefined) return answerTap(ctx, language.t("tap-unknown"));
  await answerTap(ctx, language.t(action === "link" ? "link-coming" : "originals-coming"));
  // The first tap is already sending them.
  if (isRepeated(ctx)) return;
  const gateway = gatewayOf({ gateway: await gateways.ofOrder(order.id, ctx.person) });
  const here = { ...order, chatId };
  const onArrived = () => concludeTap(ctx);
  const to = { api, orders, gateway, language, supportContact, requestBytesMax, onArrived };
  await sendOriginals(to, here, delivery);
}
