import { InlineKeyboard } from "grammy";
import type { Language } from "../../texts.js";
import { type OrderData, orderData } from "../order-data.js";
import type { Order } from "../store/order.js";

/** What a person can request besides a repeat: the files as documents, or a new link to a large file. */
export type FilesOffer = { kind: "originals"; count: number } | { kind: "link" } | { kind: "nothing" };

export function resultKeyboard(order: Order, offer: FilesOffer, { t }: Language): InlineKeyboard {
  const data = (action: OrderData["action"]) => orderData.encode({ orderId: order.id, action });
  const keyboard = new InlineKeyboard();
  const { type } = order.request;
  if (offer.kind === "originals")
    keyboard.text(t("button-original", { type, count: offer.count }), data("original"));
  if (offer.kind === "link") keyboard.text(t("button-link"), data("original"));
  return keyboard.text(t("button-again"), data("again"));
}
