import type { TelegramInlineKeyboardMarkup, TelegramMessage } from "@gramio/types";
import { type CardData, cardData } from "../../src/bot/card/callback-data.js";

/** Whether a button is the one, by what it does: labels change. */
export type Tap = (data: CardData, label: string) => boolean;

/** What a person does next: writes a text, or taps the first button that fits. */
export type Step = { text: string } | { tap: Tap };

/**
 * The newest message with buttons, and the data of the button of it that fits.
 * @throws Error when the bot has not shown such a button: then what is measured is not what was meant
 */
export function tappedOf(messages: readonly TelegramMessage[], tap: Tap): [message: number, data: string] {
  const card = messages.findLast(({ reply_markup: markup }) => markup && "inline_keyboard" in markup);
  const markup = card?.reply_markup as TelegramInlineKeyboardMarkup | undefined;
  const buttons = markup?.inline_keyboard.flat() ?? [];
  const found = buttons.find(({ text, callback_data = "" }) => {
    const data = cardData.decode(callback_data);
    return data !== undefined && tap(data, text);
  });
  if (!card || !found) throw new Error(`no such button among ${JSON.stringify(buttons)}`);
  return [card.message_id, found.callback_data ?? ""];
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

/** From nothing to a card that can be paid. */
export const COMPOSE: readonly Step[] = [...OPEN_CARD, { text: "a red fox" }];

export const PAY: Step = { tap: ({ action }) => action === "pay" };
