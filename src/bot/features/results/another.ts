import { asKopecks } from "../../../contract/money.js";
import { versionTitle } from "../../../contract/version-title.js";
import type { BoundedMap } from "../../../platform/bounded-map.js";
import type { Clock } from "../../../platform/clock.js";
import type { Logger } from "../../../platform/logger.js";
import { gatewayOf } from "../../account-needed.js";
import type { BotContext } from "../../context.js";
import type { OrderData } from "../../orders/order-data.js";
import type { Order } from "../../orders/store/order.js";
import { chatPlaceOf } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { type PayDeps, tellPayment } from "../compose/pay.js";
import { openRecomposed, recompose } from "./again.js";
import { type FromPictureDeps, redrawActions } from "./from-picture.js";

/** Milliseconds in which a tap on a button that was just drawn anew counts as a double tap. */
const DRAWN_ANEW_MS = 3000;

export interface AnotherDeps extends FromPictureDeps, PayDeps {
  clock: Clock;
  logger: Logger;
  /** Times when the button of a result was drawn anew, by order and the monotonic clock. */
  drawnAt: BoundedMap<string, number>;
}

/**
 * Orders a further take of a result at the price on its button: the same request with another seed. Each drawn
 * button orders once. Where the request is not what it was, or has another price, its card is opened instead.
 */
export async function orderAnother(
  ctx: BotContext,
  order: Order,
  take: NonNullable<OrderData["take"]>,
  deps: AnotherDeps,
): Promise<void> {
  const place = chatPlaceOf(ctx);
  if (!place) return answerTap(ctx);
  if (isOrdered(order, take.number, deps)) return answerOrdered(ctx, order, deps);
  const again = await recompose(ctx, order, deps);
  if (!again) return;
  const quotedKopecks = asKopecks(take.kopecks);
  const { form, hasLostPictures, parameters, chosen } = again;
  if (hasLostPictures || form.payable !== quotedKopecks) {
    const words = form.payable === undefined ? undefined : ctx.language.t("another-price-changed");
    await openRecomposed(ctx, again, deps, words === undefined ? {} : { words });
    return drawAnew(ctx, order, deps);
  }
  const gateway = gatewayOf(ctx);
  const request = await deps.pictures.published(ctx, form.request);
  const { model } = form;
  const { type, model_key: modelKey } = model;
  const noMessage = { promptMessageId: null, takenMessageId: null };
  const composed = {
    view: { kind: "card" },
    type,
    modelKey,
    parameters,
    chosen,
    ...noMessage,
  } as const;
  const payment = await deps.orderService.payTake(gateway, {
    of: order,
    number: take.number,
    draft: { ...place, userId: ctx.person.id, ...composed },
    userName: ctx.person.name,
    modelTitle: versionTitle(model, request),
    request,
    quotedKopecks,
  });
  await tellPayment(ctx, payment, quotedKopecks, deps);
  await drawAnew(ctx, order, deps);
}

function isOrdered(order: Order, number: number, { orders, clock, drawnAt }: AnotherDeps): boolean {
  if ((orders.takesOf(order.id)?.taken ?? 0) !== number) return true;
  const agoMs = clock.monotonic() - (drawnAt.get(order.id) ?? Number.NEGATIVE_INFINITY);
  return agoMs < DRAWN_ANEW_MS;
}

/** Answers a tap on a button that has ordered. After a crash it may still be drawn: it is drawn anew. */
async function answerOrdered(ctx: BotContext, order: Order, deps: AnotherDeps): Promise<void> {
  const { orders, orderService } = deps;
  const last = orders.takesOf(order.id)?.lastOrderId;
  const isUnanswered = orderService.isUnanswered(({ id }) => id === last);
  await answerTap(ctx, ctx.language.t(isUnanswered ? "pay-slow" : "another-ordered"));
  await drawAnew(ctx, order, deps);
}

async function drawAnew(ctx: BotContext, order: Order, deps: AnotherDeps): Promise<void> {
  const { logger } = deps;
  // A tap on the old button is answered as well.
  await redrawActions(ctx, order, deps).catch((error: unknown) =>
    logger.warn({ order_id: order.id, err: error }, "button of a result not drawn anew"),
  );
  deps.drawnAt.set(order.id, deps.clock.monotonic());
}
