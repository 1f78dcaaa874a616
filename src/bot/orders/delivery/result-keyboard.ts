import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Model } from "../../../contract/model.js";
import { type QuotedPrice, quotedPrice } from "../../../contract/price.js";
import { fieldNamed, fieldsOf, type ModelFields, type Parameters } from "../../card/form/fields.js";
import { otherModel, takesPicture } from "../../card/form/fitting-models.js";
import { isNeutral } from "../../card/form/starting-parameters.js";
import { inPairs, shownPrice } from "../../card/render-card.js";
import { actionData, type DataOf, marked, matching, natural } from "../../telegram/button-data.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../order.js";

const order = matching("orderId", /^[A-Za-z0-9_-]{1,40}$/);
const made = marked("made", { edit: "e", animate: "m" });

/** The buttons of an order: `r:<order>:<action>[:…]`. */
export const orderData = actionData("r", {
  original: [order, "o"],
  /** A new link to a file that is too large. */
  link: [order, "l"],
  again: [order, "a"],
  deliver: [order, "d"],
  /** A further take at this price, after so many that were ordered before. */
  take: [order, "n", natural("kopecks"), natural("number")],
  /** Restores the result's buttons after the question which picture to use. */
  actions: [order, "b"],
  restyle: [order, "s"],
  picture: [order, made],
  /** One picture of an album, by the position of its job in the order. */
  one_picture: [order, made, natural("index")],
  model: [order, "x"],
});
export type OrderData = DataOf<typeof orderData>;
export type PictureAction = "edit" | "animate";

export interface ResultActions {
  canEdit?: boolean;
  canAnimate?: boolean;
  canRestyle?: boolean;
  /** The price of a further take. Undefined where the model is gone. */
  another?: QuotedPrice | undefined;
  /** True when nothing was made: then the request can be tried again. */
  hasFailed?: boolean;
  /** The price of the request on the next model. Undefined where none takes it. */
  otherModel?: QuotedPrice | undefined;
}

/** Lists what can be done with a result. `models` of every type: a picture is used where a model takes one. */
export function resultActions({ request }: Order, models: readonly Model[]): ResultActions {
  const { type, model_key } = request;
  const own = models.find((model) => model.type === type && model.model_key === model_key);
  const isPicture = type === "image";
  const canMake = (made: Model["type"]) => models.some((model) => model.type === made && takesPicture(model));
  return {
    canEdit: isPicture && canMake("image"),
    canAnimate: isPicture && canMake("video"),
    canRestyle: type === "music" && own !== undefined && styleField(fieldsOf(own), request) !== undefined,
    another: own && quotedPrice(own, request),
  };
}

/** Lists what can be done after a failure. `isOfModel`: false where another model would fail as well. */
export function failureActions(
  { request }: Order,
  models: readonly Model[],
  isOfModel: boolean,
): ResultActions {
  const pictures = { parameters: request as Parameters, chosen: [] };
  const other = isOfModel ? otherModel(request, models, pictures) : undefined;
  return { hasFailed: true, otherModel: other?.form.price };
}

/** Finds the parameter that sets another style. Undefined for a custom style. */
export function styleField(fields: ModelFields, request: Order["request"]): string | undefined {
  const names = ["style_preset_id", "custom_style"];
  const isOwn = request.custom_style !== undefined && !isNeutral("custom_style", request.custom_style);
  const inOrder = isOwn ? names.toReversed() : names;
  return inOrder.find((name) => fieldNamed(fields, name) !== undefined);
}

/** The number of pictures in a row of an album. An odd one is first. */
const PICTURES_IN_A_ROW = 2;

/** What a person can request besides a repeat: the files as documents, or a new link to a large file. */
export type FilesOffer = { kind: "originals"; count: number } | { kind: "link" } | { kind: "nothing" };

/** Draws the buttons of a result. `taken`: how many further takes were ordered with the button before. */
export function resultKeyboard(
  { id: orderId, request }: Pick<Order, "id" | "request">,
  offer: FilesOffer,
  actions: ResultActions,
  language: Language,
  taken = 0,
): InlineKeyboard {
  const { t } = language;
  const button = (label: string, action: "again" | "model" | "restyle" | "original" | "link") =>
    InlineKeyboard.text(label, orderData.encode({ action, orderId }));
  const picture = (made: PictureAction) =>
    InlineKeyboard.text(t(`button-${made}`), orderData.encode({ action: "picture", orderId, made }));
  const pictures: InlineKeyboardButton[] = [];
  if (actions.canEdit) pictures.push(picture("edit"));
  if (actions.canAnimate) pictures.push(picture("animate"));
  const others = [button(t(actions.hasFailed ? "button-try-again" : "button-change"), "again")];
  if (actions.otherModel)
    others.push(
      button(t("button-other-model", { price: shownPrice(actions.otherModel, language) }), "model"),
    );
  if (actions.canRestyle) others.push(button(t("button-restyle"), "restyle"));
  if (offer.kind === "originals")
    others.push(button(t("button-original", { count: offer.count }), "original"));
  if (offer.kind === "link") others.push(button(t("button-link"), "link"));
  // Pays its price with one tap.
  const another: InlineKeyboardButton[] = [];
  if (actions.another) {
    const { kopecks } = actions.another;
    another.push({
      text: t("button-another", {
        price: shownPrice(actions.another, language),
        count: Number(request.count ?? 1),
      }),
      callback_data: orderData.encode({ action: "take", orderId, kopecks, number: taken }),
      style: "success",
    });
  }
  const rows = [pictures, another, ...inPairs(others)];
  return new InlineKeyboard(rows.filter((row) => row.length > 0));
}

/** Draws the button under a link, which is valid for an hour. */
export function linkKeyboard({ id: orderId }: Order, { t }: Language): InlineKeyboard {
  return new InlineKeyboard().text(t("button-link"), orderData.encode({ orderId, action: "link" }));
}

/** Asks which picture of an album is meant. `indexes` are positions of jobs, in the order that the chat shows. */
export function whichPictureKeyboard(
  orderId: string,
  made: PictureAction,
  indexes: readonly number[],
  { t }: Language,
): InlineKeyboard {
  const icon = made === "edit" ? "✏️" : "🎬";
  const keyboard = new InlineKeyboard();
  const odd = indexes.length % PICTURES_IN_A_ROW;
  for (const [place, index] of indexes.entries()) {
    if (place > 0 && place % PICTURES_IN_A_ROW === odd % PICTURES_IN_A_ROW) keyboard.row();
    keyboard.text(`${icon} ${place + 1}`, orderData.encode({ action: "one_picture", orderId, made, index }));
  }
  return keyboard.row().text(t("button-back"), orderData.encode({ orderId, action: "actions" }));
}
