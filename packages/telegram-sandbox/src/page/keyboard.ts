import type { TelegramInlineKeyboardButton, TelegramInlineKeyboardMarkup } from "@gramio/types";
import { arrangeChildren, element } from "./dom.js";
import { icon } from "./icons.js";
import { safeUrl } from "./links.js";
import type { Words } from "./words/words.js";

export interface KeyboardActions {
  readonly words: Words;
  tap(data: string): void;
  /** Pays the invoice above the buttons. */
  pay(): void;
  openLink(url: string): void;
  copy(text: string): void;
  insertText(text: string): void;
}

/**
 * Buttons under a message. A button whose meaning stays through an edit stays the same element, so that a press
 * begun before the edit and ended after it is not lost; one whose meaning changes is made anew, so that such a
 * press never becomes another tap than the one the person aimed at.
 */
export class InlineKeyboard {
  readonly element: HTMLElement;
  readonly #actions: KeyboardActions;
  #signature = "";
  #buttons = new Map<string, HTMLElement>();

  constructor(actions: KeyboardActions) {
    this.#actions = actions;
    const label = actions.words.buttons;
    this.element = element("div", { class: "keyboard", hidden: true, role: "group", "aria-label": label });
  }

  show(markup: TelegramInlineKeyboardMarkup | undefined, isWaiting: (data: string) => boolean): void {
    const signature = JSON.stringify(markup?.inline_keyboard ?? []);
    if (signature !== this.#signature) this.#build(markup?.inline_keyboard ?? []);
    this.#signature = signature;
    for (const button of this.#buttons.values()) {
      const data = button.dataset.callback;
      if (data === undefined) continue;
      const waits = isWaiting(data);
      button.classList.toggle("is-waiting", waits);
      button.setAttribute("aria-busy", String(waits));
    }
  }

  #build(rows: readonly (readonly TelegramInlineKeyboardButton[])[]): void {
    const buttons = new Map<string, HTMLElement>();
    const lines = rows.map((row, index) => {
      const line = this.element.children[index] ?? element("div", { class: "keyboard-row" });
      const made = row.map((button) => {
        const { text, ...meaning } = button;
        let key = JSON.stringify(meaning);
        while (buttons.has(key)) key += "+";
        const one = this.#buttons.get(key) ?? this.#make(button);
        const label = one.querySelector(".button-label");
        if (label !== null && label.textContent !== text) label.textContent = text;
        buttons.set(key, one);
        return one;
      });
      arrangeChildren(line, made);
      return line;
    });
    this.#buttons = buttons;
    arrangeChildren(this.element, lines);
    this.element.hidden = rows.length === 0;
  }

  #make(button: TelegramInlineKeyboardButton): HTMLElement {
    const label = element("span", { class: "button-label" }, button.text);
    const { callback_data: data, copy_text: copy } = button;
    const url = button.url ?? button.web_app?.url ?? button.login_url?.url;
    const style = button.style === undefined ? "" : ` is-${button.style}`;
    const attributes = { type: "button", class: `key${style}`, disabled: button.disabled !== undefined };
    if (data !== undefined) {
      const onclick = () => this.#actions.tap(data);
      return element("button", { ...attributes, "data-callback": data, onclick }, label);
    }
    if (button.pay) {
      const onclick = () => this.#actions.pay();
      return element("button", { ...attributes, "data-testid": "pay", onclick }, label);
    }
    if (copy !== undefined) {
      const onclick = () => this.#actions.copy(copy.text);
      return element("button", { ...attributes, "data-copy": copy.text, onclick }, label, icon("copy"));
    }
    if (url !== undefined) {
      const href = safeUrl(url);
      const link = element(
        "a",
        { class: `key${style}`, href, target: "_blank", rel: "noopener noreferrer" },
        label,
        icon("link"),
      );
      link.addEventListener("click", (event) => {
        event.preventDefault();
        if (href !== undefined) this.#actions.openLink(href);
      });
      return link;
    }
    const query = button.switch_inline_query_current_chat ?? button.switch_inline_query;
    if (query !== undefined) {
      return element("button", { ...attributes, onclick: () => this.#actions.insertText(query) }, label);
    }
    return element("button", { ...attributes, disabled: true, title: this.#actions.words.notHere }, label);
  }
}
