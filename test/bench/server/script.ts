import { type CardData, cardData } from "../../../src/bot/card/callback-data.js";
import type { InlineButton } from "./bot-api.js";

/** Whether a button is the one, by what it does: labels change. */
export type Tap = (data: CardData, label: string) => boolean;

/** What a person does next: writes a text, or taps the first button that fits. */
export type Step = { text: string } | { tap: Tap };

export function doesTap({ text, callback_data }: InlineButton, tap: Tap): boolean {
  const data = cardData.decode(callback_data);
  return data !== undefined && tap(data, text);
}

const parameter =
  (name: string): Tap =>
  (data) =>
    data.action === "parameter" && data.token === name;
/** The mark of the value that is set stands before its label. */
const otherValue =
  (name: string): Tap =>
  (data, label) =>
    data.action === "value" && data.token === name && !label.startsWith("•");
const pay: Tap = ({ action }) => action === "pay";

const SIZE: readonly Step[] = [{ tap: parameter("resolution") }, { tap: otherValue("resolution") }];

/** One walk through the wizard, from an empty card to one that waits only for being paid. */
export const WIZARD: readonly Step[] = [
  { text: "/image" },
  ...SIZE,
  { tap: parameter("aspect_ratio") },
  { tap: otherValue("aspect_ratio") },
  { tap: parameter("count") },
  { tap: otherValue("count") },
  { text: "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas" },
];

/** A card with the first model. */
export const OPEN_CARD: readonly Step[] = [{ text: "/image" }];

/** Two taps that can be made on an open card any number of times: they pick another size each time. */
export const TAP_PAIR: readonly Step[] = SIZE;

/** From nothing to a paid order. */
export const ORDER: readonly Step[] = [...OPEN_CARD, { text: "a red fox" }, { tap: pay }];
