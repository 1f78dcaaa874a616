import { InlineKeyboard } from "grammy";
import type { Language } from "../texts.js";
import type { Order } from "./order.js";
import { type OrderData, writeOrderData } from "./order-data.js";

/** What can be asked for beside the same once more: the files as documents, or a fresh link to what is too large. */
export type FilesOffer = { kind: "originals"; count: number } | { kind: "link" } | { kind: "nothing" };

/** The buttons under a result. */
export function resultKeyboard(order: Order, offer: FilesOffer, { t }: Language): InlineKeyboard {
  const data = (action: OrderData["action"]) => writeOrderData({ orderId: order.id, action });
  const keyboard = new InlineKeyboard();
  const { type } = order.request;
  if (offer.kind === "originals")
    keyboard.text(t("button-original", { type, count: offer.count }), data("original"));
  if (offer.kind === "link") keyboard.text(t("button-link"), data("original"));
  return keyboard.text(t("button-again"), data("again"));
}
