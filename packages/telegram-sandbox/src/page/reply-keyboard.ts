import type { TelegramReplyKeyboardMarkup } from "@gramio/types";
import { element, makeButton } from "./dom.js";

export interface KeyboardDeeds {
  send(text: string, messageId: number): void;
  /** Asks the person whom to share under the button's id. */
  choosePeople(requestId: number): void;
}

/** The keyboard that a bot puts in place of the letters. Its buttons send their text, or ask for people. */
export class ReplyKeyboard {
  readonly element: HTMLElement;
  readonly toggle: HTMLButtonElement;
  readonly #deeds: KeyboardDeeds;
  #messageId = 0;
  #isOpen = true;

  constructor(toggle: HTMLButtonElement, label: string, deeds: KeyboardDeeds) {
    this.element = element("div", {
      class: "reply-keyboard",
      hidden: true,
      role: "group",
      "aria-label": label,
      "data-testid": "reply-keyboard",
    });
    this.toggle = toggle;
    this.#deeds = deeds;
    toggle.addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      this.#showOpen();
    });
  }

  show(current: { messageId: number; markup: TelegramReplyKeyboardMarkup } | undefined): void {
    this.toggle.hidden = current === undefined;
    if (current === undefined) {
      this.#messageId = 0;
      this.element.hidden = true;
      return;
    }
    if (current.messageId !== this.#messageId) {
      this.#messageId = current.messageId;
      this.#isOpen = true;
      this.#build(current.markup);
    }
    this.#showOpen();
  }

  #build(markup: TelegramReplyKeyboardMarkup): void {
    const rows = markup.keyboard.map((row) => {
      const line = element("div", { class: "keyboard-row" });
      for (const button of row) {
        const style = button.style === undefined ? "" : ` is-${button.style}`;
        const key = makeButton(
          { class: `key${style}`, "data-reply": button.text },
          element("span", { class: "button-label" }, button.text),
        );
        key.addEventListener("click", () => {
          if (markup.one_time_keyboard) this.#isOpen = false;
          if (button.request_users) this.#deeds.choosePeople(button.request_users.request_id);
          else this.#deeds.send(button.text, this.#messageId);
          this.#showOpen();
        });
        line.append(key);
      }
      return line;
    });
    this.element.replaceChildren(...rows);
  }

  #showOpen(): void {
    this.element.hidden = !this.#isOpen;
    this.toggle.setAttribute("aria-pressed", String(this.#isOpen));
  }
}
