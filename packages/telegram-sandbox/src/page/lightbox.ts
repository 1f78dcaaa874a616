import type { TelegramMessage } from "@gramio/types";
import { fileUrl } from "./api.js";
import { element, makeButton } from "./dom.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

/** Shows the pictures and videos of one message or album over everything; Esc closes, arrows turn. */
export class Lightbox {
  readonly #dialog = element("dialog", { class: "lightbox", "data-testid": "lightbox" });
  readonly #stage = element("div", { class: "lightbox-stage" });
  readonly #caption = element("div", { class: "lightbox-caption" });
  readonly #download = element("a", { class: "round-button", download: true }, icon("download"));
  readonly #close = makeButton({ class: "round-button", onclick: () => this.#dialog.close() }, icon("close"));
  readonly #previous = turnButton("left", () => this.#turn(-1));
  readonly #next = turnButton("right", () => this.#turn(1));
  #messages: readonly TelegramMessage[] = [];
  #index = 0;
  #photoLabel = "";

  constructor(parent: HTMLElement) {
    const bar = element("div", { class: "lightbox-bar" }, this.#download, this.#close);
    this.#dialog.append(this.#stage, this.#caption, bar, this.#previous, this.#next);
    this.#dialog.addEventListener("close", () => this.#stage.replaceChildren());
    this.#dialog.addEventListener("click", ({ target }) => {
      if (target === this.#dialog || target === this.#stage) this.#dialog.close();
    });
    this.#dialog.addEventListener("keydown", ({ key }) => {
      if (key === "ArrowLeft") this.#turn(-1);
      if (key === "ArrowRight") this.#turn(1);
    });
    parent.append(this.#dialog);
  }

  open(messages: readonly TelegramMessage[], index: number, words: Words): void {
    this.#label(words);
    this.#messages = messages;
    this.#index = index;
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** The viewer speaks the language of whoever opened it. */
  #label(words: Words): void {
    this.#photoLabel = words.photo;
    this.#dialog.setAttribute("aria-label", words.viewer);
    this.#previous.setAttribute("aria-label", words.previous);
    this.#next.setAttribute("aria-label", words.next);
    for (const [button, label] of [
      [this.#download, words.download],
      [this.#close, words.close],
    ] as const) {
      button.setAttribute("aria-label", label);
      button.title = label;
    }
  }

  #turn(step: number): void {
    const next = this.#index + step;
    if (next < 0 || next >= this.#messages.length) return;
    this.#index = next;
    this.#show();
  }

  #show(): void {
    const message = this.#messages[this.#index];
    const file = message?.photo?.at(-1) ?? message?.video ?? message?.animation;
    if (message === undefined || file === undefined) return;
    const src = fileUrl(file.file_id);
    const shown = message.photo
      ? element("img", {
          src,
          alt: message.caption ?? this.#photoLabel,
          width: file.width,
          height: file.height,
        })
      : element("video", { src, controls: true, autoplay: true, playsinline: true });
    this.#stage.replaceChildren(shown);
    this.#caption.textContent = message.caption ?? "";
    this.#download.href = src;
    this.#previous.hidden = this.#index === 0;
    this.#next.hidden = this.#index >= this.#messages.length - 1;
  }
}

function turnButton(side: "left" | "right", turn: () => void): HTMLButtonElement {
  return makeButton({ class: `round-button lightbox-${side}`, onclick: turn }, icon(side));
}
