import type { TelegramMessage } from "@gramio/types";
import { element } from "./dom.js";
import { fullName } from "./format.js";
import { icon } from "./icons.js";
import { summary } from "./media.js";

/** Says over the composer which message is answered or changed. */
export class ReplyBar {
  readonly element = element("div", { class: "reply-bar", hidden: true, "data-testid": "reply-bar" });
  readonly #cancel: () => void;

  constructor(cancel: () => void) {
    this.#cancel = cancel;
  }

  show(reply: TelegramMessage | undefined, edited: TelegramMessage | undefined): void {
    const message = edited ?? reply;
    this.element.hidden = message === undefined;
    if (message === undefined) return;
    const name = message.from ? fullName(message.from) : "message";
    const words = element(
      "div",
      { class: "reply-words" },
      element("span", { class: "quote-name" }, edited ? "Edit message" : `Reply to ${name}`),
      element("span", { class: "quote-text" }, summary(message)),
    );
    const label = edited ? "Cancel edit" : "Cancel reply";
    const cancel = element(
      "button",
      { type: "button", class: "tool", "aria-label": label, onclick: this.#cancel },
      icon("close"),
    );
    this.element.replaceChildren(icon(edited ? "edit" : "reply"), words, cancel);
  }
}
