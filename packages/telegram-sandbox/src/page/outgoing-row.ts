import type { Outgoing } from "./chat.js";
import { element, Slot } from "./dom.js";
import { byteSize, clockTime } from "./format.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

/** A message on its way, or one that failed and waits for the person to try again. */
export class OutgoingRow {
  readonly element = element("article", {
    class: "row is-own is-first is-last is-outgoing",
    "data-testid": "outgoing",
  });
  readonly #content = new Slot("bubble");
  readonly #failure = new Slot("failure");
  readonly #waiting = new Slot("waiting");
  readonly #previews: string[] = [];
  readonly #words: Words;
  readonly #retry: (key: string) => void;
  readonly #discard: (key: string) => void;

  constructor(actions: { retry(key: string): void; discard(key: string): void; words: Words }) {
    this.#words = actions.words;
    this.#retry = actions.retry;
    this.#discard = actions.discard;
    this.element.append(
      element("div", { class: "stack" }, this.#content.element, this.#waiting.element, this.#failure.element),
    );
  }

  update(outgoing: Outgoing, isFirst: boolean): void {
    this.element.classList.toggle("is-first", isFirst);
    this.element.classList.toggle("is-failed", outgoing.state === "failed");
    this.#content.show(`${outgoing.key} ${outgoing.state}`, () => {
      this.release();
      const meta = element(
        "span",
        { class: "meta" },
        clockTime(outgoing.date),
        icon(outgoing.state === "failed" ? "alert" : "clock"),
      );
      return [
        ...outgoing.files.map((file) => this.#preview(file, outgoing.as)),
        element("div", { class: "text", dir: "auto" }, outgoing.text, meta),
      ];
    });
    this.element.classList.toggle("is-waiting", outgoing.state === "waiting");
    const discard = () => this.#discard(outgoing.key);
    this.#waiting.show(outgoing.state === "waiting" ? outgoing.key : "", () => [
      element("span", {}, this.#words.waiting),
      element("button", { type: "button", onclick: discard }, this.#words.delete),
    ]);
    this.#failure.show(outgoing.state === "failed" ? outgoing.reason : "", () => [
      element("span", { role: "alert" }, outgoing.reason),
      element(
        "button",
        { type: "button", "data-testid": "retry", onclick: () => this.#retry(outgoing.key) },
        icon("retry"),
        this.#words.retry,
      ),
      element("button", { type: "button", onclick: discard }, this.#words.delete),
    ]);
  }

  /** Frees the pictures that were shown from memory. */
  release(): void {
    for (const url of this.#previews.splice(0)) URL.revokeObjectURL(url);
  }

  #preview(file: File, as: Outgoing["as"]): HTMLElement {
    if (!file.type.startsWith("image/") || as === "document") {
      return element(
        "div",
        { class: "outgoing-file" },
        icon("file"),
        `${file.name} · ${byteSize(file.size, this.#words)}`,
      );
    }
    const url = URL.createObjectURL(file);
    this.#previews.push(url);
    return element("img", { class: "outgoing-photo", src: url, alt: file.name });
  }
}
