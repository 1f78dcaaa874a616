import type { TelegramKeyboardButtonRequestUsers } from "@gramio/types";
import type { Chat } from "./chat.js";

/** Returns the button of the keyboard that was shown last and asks for people under this id. */
export function requestedUsers(
  chat: Chat,
  requestId: number,
): TelegramKeyboardButtonRequestUsers | undefined {
  const shown = [...chat.entries.values()].map((entry) => entry.shown).findLast((keyboard) => keyboard);
  const buttons = shown && "keyboard" in shown ? shown.keyboard.flat() : [];
  return buttons
    .map((button) => (typeof button === "string" ? undefined : button.request_users))
    .find((asked) => asked?.request_id === requestId);
}
