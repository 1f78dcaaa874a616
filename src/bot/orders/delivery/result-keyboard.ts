import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { inPairs } from "../../card/layout.js";
import { shownPrice } from "../../card/shown-price.js";
import type { Language } from "../../texts/texts.js";
import { type OrderData, orderData, type PictureAction } from "../order-data.js";
import type { Order } from "../store/order.js";
import type { ResultActions } from "./result-actions.js";

/** The number of pictures in a row of an album. An odd one is first. */
const PICTURES_IN_A_ROW = 2;

/** What a person can request besides a repeat: the files as documents, or a new link to a large file. */
export type FilesOffer = { kind: "originals"; count: number } | { kind: "link" } | { kind: "nothing" };

/** Draws the buttons of a result. `taken`: how many further takes were ordered with the button before. */
export function resultKeyboard(
  { id: orderId }: Pick<Order, "id">,
  offer: FilesOffer,
  actions: ResultActions,
  language: Language,
  taken = 0,
): InlineKeyboard {
  const { t } = language;
  const button = (label: string, action: OrderData["action"]) =>
    InlineKeyboard.text(label, orderData.encode({ orderId, action }));
  const pictures: InlineKeyboardButton[] = [];
  if (actions.canEdit) pictures.push(button(t("button-edit"), "edit"));
  if (actions.canAnimate) pictures.push(button(t("button-animate"), "animate"));
  const others = [button(t(actions.hasFailed ? "button-try-again" : "button-change"), "again")];
  if (actions.otherModel)
    others.push(button(t("button-other-model", { price: priceOf(actions.otherModel, language) }), "model"));
  if (actions.canRestyle) others.push(button(t("button-restyle"), "restyle"));
  if (offer.kind === "originals")
    others.push(button(t("button-original", { count: offer.count }), "original"));
  if (offer.kind === "link") others.push(button(t("button-link"), "link"));
  const another = actions.another ? [anotherButton(orderId, actions.another, taken, language)] : [];
  const rows = [pictures, another, ...inPairs(others)];
  return new InlineKeyboard(rows.filter((row) => row.length > 0));
}

/** Makes the button that pays its price with one tap. */
function anotherButton(
  orderId: string,
  price: NonNullable<ResultActions["another"]>,
  number: number,
  language: Language,
): InlineKeyboardButton {
  const take = { kopecks: price.kopecks, number };
  return {
    text: language.t("button-another", { price: priceOf(price, language) }),
    callback_data: orderData.encode({ orderId, action: "another", take }),
    style: "success",
  };
}

function priceOf({ kopecks, isExact }: NonNullable<ResultActions["another"]>, language: Language): string {
  return shownPrice(kopecks, { isTotalExact: isExact }, language);
}

/** Draws the button under a link, which is valid for an hour. */
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
  const odd = indexes.length % PICTURES_IN_A_ROW;
  for (const [place, index] of indexes.entries()) {
    if (place > 0 && place % PICTURES_IN_A_ROW === odd % PICTURES_IN_A_ROW) keyboard.row();
    keyboard.text(`${icon} ${place + 1}`, orderData.encode({ orderId, action, index }));
  }
  return keyboard.row().text(t("button-back"), orderData.encode({ orderId, action: "actions" }));
}
