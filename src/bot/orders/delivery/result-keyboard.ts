import { InlineKeyboard } from "grammy";
import type { Language } from "../../texts.js";
import { type OrderData, orderData, type PictureAction } from "../order-data.js";
import type { Order } from "../store/order.js";
import type { ResultActions } from "./result-actions.js";

const PICTURES_IN_A_ROW = 5;

/** What a person can request besides a repeat: the files as documents, or a new link to a large file. */
export type FilesOffer = { kind: "originals"; count: number } | { kind: "link" } | { kind: "nothing" };

export function resultKeyboard(
  order: Order,
  offer: FilesOffer,
  actions: ResultActions,
  { t }: Language,
): InlineKeyboard {
  const data = (action: OrderData["action"]) => orderData.encode({ orderId: order.id, action });
  const keyboard = new InlineKeyboard();
  if (actions.canEdit) keyboard.text(t("button-edit"), data("edit"));
  if (actions.canAnimate) keyboard.text(t("button-animate"), data("animate"));
  keyboard.row();
  if (actions.canRepeat) keyboard.text(t("button-another"), data("another"));
  if (actions.canRestyle) keyboard.text(t("button-restyle"), data("restyle"));
  keyboard.text(t("button-again"), data("again")).row();
  if (offer.kind === "originals")
    keyboard.text(t("button-original", { count: offer.count }), data("original"));
  if (offer.kind === "link") keyboard.text(t("button-link"), data("link"));
  return new InlineKeyboard(keyboard.inline_keyboard.filter((row) => row.length > 0));
}

/** Under a link, which is valid for an hour. */
export function linkKeyboard({ id: orderId }: Order, { t }: Language): InlineKeyboard {
  return new InlineKeyboard().text(t("button-link"), orderData.encode({ orderId, action: "link" }));
}

/** Asks which picture of an album is meant. `indexes` are positions of jobs, in the order that the chat shows. */
export function whichPictureKeyboard(
  orderId: string,
  action: PictureAction,
  indexes: readonly number[],
  { t }: Language,
): InlineKeyboard {
  const icon = action === "edit" ? "✏️" : "🎬";
  const keyboard = new InlineKeyboard();
  for (const [place, index] of indexes.entries()) {
    if (place > 0 && place % PICTURES_IN_A_ROW === 0) keyboard.row();
    keyboard.text(`${icon} ${place + 1}`, orderData.encode({ orderId, action, index }));
  }
  return keyboard.row().text(t("button-back"), orderData.encode({ orderId, action: "actions" }));
}
