import type { Card, InlineButton } from "./bot-api.js";
import { doesTap, type Step, type Tap } from "./script.js";

/** One person in a private chat, who sees the newest card and acts on it. */
export class Chat {
  readonly id: number;
  readonly #person: Record<string, unknown>;
  readonly #chat: Record<string, unknown>;
  #card: Card | undefined;

  constructor(id: number) {
    this.id = id;
    const name = { first_name: "Ann", last_name: `No ${id}`, username: `ann_${id}` };
    this.#person = { id, is_bot: false, language_code: "en", ...name };
    this.#chat = { id, type: "private", ...name };
  }

  see(card: Card): void {
    this.#card = card;
  }

  /**
   * The update that Telegram makes of a step.
   * @throws Error when the bot has not shown such a button: then what is measured is not what was meant
   */
  act(step: Step, messageId: number): Record<string, unknown> {
    const date = Math.floor(Date.now() / 1000);
    if ("text" in step) {
      const entities = step.text.startsWith("/")
        ? { entities: [{ type: "bot_command", offset: 0, length: step.text.split(" ", 1).join().length }] }
        : {};
      return {
        message: { message_id: messageId, from: this.#person, chat: this.#chat, date, ...step, ...entities },
      };
    }
    const card = this.#card;
    if (!card) throw new Error("no card to tap on");
    const message = {
      message_id: card.messageId,
      chat: this.#chat,
      date,
      text: card.text,
      reply_markup: { inline_keyboard: card.buttons },
    };
    const { callback_data } = this.#find(card, step.tap);
    return {
      callback_query: {
        id: String(messageId),
        from: this.#person,
        message,
        chat_instance: String(this.id),
        data: callback_data,
      },
    };
  }

  #find({ buttons }: Card, tap: Tap): InlineButton {
    const found = buttons.flat().find((button) => doesTap(button, tap));
    if (found) return found;
    const shown = buttons.flat().map(({ text }) => text);
    throw new Error(`no such button among ${JSON.stringify(shown)}`);
  }
}
