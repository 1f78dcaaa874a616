import type { TelegramMessage } from "@gramio/types";
import { element } from "./dom.js";
import { fullName } from "./format.js";
import { icon } from "./icons.js";
import { summary, thumbnail } from "./quoted.js";
import type { Words } from "./words/words.js";

/** Says over the composer which message is answered or changed. */
export class ReplyBar {
  readonly element = element("div", { class: "reply-bar", hidden: true, "data-testid": "reply-bar" });
  readonly #words: Words;
  readonly #cancel: () => void;

  constructor(words: Words, cancel: () => void) {
    this.#words = words;
    this.#cancel = cancel;
  }

  show(reply: TelegramMessage | undefined, edited: TelegramMessage | undefined): void {
    const message = edited ?? reply;
    this.element.hidden = message === undefined;
    if (message === undefined) return;
    const words = this.#words;
    const name = message.from ? fullName(message.from) : "";
    const lines = element(
      "div",
      { class: "reply-words" },
      element("span", { class: "quote-name" }, edited ? words.editMessage : words.replyTo(name)),
      element("span", { class: "quote-text" }, summary(message, words)),
    );
    const label = edited ? words.cancelEdit : words.cancelReply;
    const cancel = element(
      "button",
      { type: "button", class: "tool", "aria-label": label, onclick: this.#cancel },
      icon("close"),
    );
    this.element.replaceChildren(icon(edited ? "edit" : "reply"), ...thumbnail(message), lines, cancel);
  }
}
