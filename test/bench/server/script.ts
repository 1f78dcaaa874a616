import { type CardAction, cardData } from "../../../src/bot/card/callback-data.js";
import type { InlineButton } from "./bot-api.js";

/** Whether a button is the one, by what it does: labels change. */
export type Tap = (action: CardAction, label: string) => boolean;

/** What a person does next: writes a text, or taps the first button that fits. */
export type Step = { text: string } | { tap: Tap };

export function doesTap({ text, callback_data }: InlineButton, tap: Tap): boolean {
  const data = cardData.decode(callback_data);
  return data !== undefined && tap(data.action, text);
}

const model =
  (key: string): Tap =>
  (action) =>
    action.kind === "model" && action.token === key;
const parameter =
  (name: string): Tap =>
  (action) =>
    action.kind === "parameter" && action.token === name;
/** The mark of the value that is set stands before its label. */
const otherValue =
  (name: string): Tap =>
  (action, label) =>
    action.kind === "value" && action.token === name && !label.startsWith("•");
const pay: Tap = ({ kind }) => kind === "pay";

const FIRST_MODEL = model("nano-banana-2");
const SIZE: readonly Step[] = [{ tap: parameter("resolution") }, { tap: otherValue("resolution") }];

/** One walk through the wizard, by the list of models, to a card that waits only for being paid. */
export const WIZARD: readonly Step[] = [
  { text: "/image" },
  { tap: ({ kind }) => kind === "models" },
  { tap: FIRST_MODEL },
  ...SIZE,
  { tap: parameter("aspect_ratio") },
  { tap: otherValue("aspect_ratio") },
  { tap: parameter("count") },
  { tap: otherValue("count") },
  { text: "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas" },
];

/** A card, with the model that the catalogue names for a start. */
export const OPEN_CARD: readonly Step[] = [{ text: "/image" }];

/** Two taps that can be made on an open card any number of times: they pick another size each time. */
export const TAP_PAIR: readonly Step[] = SIZE;

/** From nothing to a paid order. */
export const ORDER: readonly Step[] = [...OPEN_CARD, { text: "a red fox" }, { tap: pay }];

/** The same for a video. */
export const VIDEO_ORDER: readonly Step[] = [{ text: "/video" }, { text: "a red fox runs" }, { tap: pay }];
