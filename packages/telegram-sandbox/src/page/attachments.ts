import type { SendBody } from "../protocol.js";
import { element } from "./dom.js";
import { byteSize } from "./format.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

type SendAs = NonNullable<SendBody["as"]>;

/** The files that the next message takes along, with previews and the way they are sent. */
export class Attachments {
  readonly element = element("div", { class: "attachments", hidden: true, "data-testid": "attachments" });
  readonly #changed: () => void;
  readonly #words: Words;
  #files: readonly File[] = [];
  #as: SendAs = "photo";
  /** What the person chose; until then the way follows the files. */
  #chosen: SendAs | undefined;
  #urls: string[] = [];

  constructor(words: Words, changed: () => void) {
    this.#words = words;
    this.#changed = changed;
  }

  get files(): readonly File[] {
    return this.#files;
  }

  /** Nothing without files. */
  get as(): SendAs | undefined {
    return this.#files.length === 0 ? undefined : this.#as;
  }

  set(files: readonly File[], chosen: SendBody["as"]): void {
    const ways = waysFor(files);
    this.#files = files;
    this.#chosen = chosen;
    this.#as = chosen !== undefined && ways.includes(chosen) ? chosen : (ways[0] ?? "document");
    this.#render(ways);
  }

  add(files: Iterable<File>): void {
    this.set([...this.#files, ...files], this.#chosen);
    this.#changed();
  }

  #render(ways: readonly SendAs[]): void {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    this.element.hidden = this.#files.length === 0;
    const items = this.#files.map((file) => this.#preview(file));
    const select = element("select", { "aria-label": this.#words.howToSend, "data-testid": "send-as" });
    for (const way of ways) {
      select.append(element("option", { value: way, selected: way === this.#as }, this.#words.sendAs[way]));
    }
    select.addEventListener("change", () => {
      this.#as = ways.find((way) => way === select.value) ?? this.#as;
      this.#chosen = this.#as;
      this.#changed();
    });
    this.element.replaceChildren(element("div", { class: "attachment-list" }, ...items), select);
  }

  #preview(file: File): HTMLElement {
    const remove = element(
      "button",
      { type: "button", class: "attachment-remove", "aria-label": this.#words.remove(file.name) },
      icon("close"),
    );
    remove.addEventListener("click", () => {
      this.set(
        this.#files.filter((one) => one !== file),
        this.#chosen,
      );
      this.#changed();
    });
    if (!file.type.startsWith("image/")) {
      const words = element(
        "span",
        { class: "attachment-name" },
        file.name,
        element("small", {}, byteSize(file.size, this.#words)),
      );
      return element("div", { class: "attachment is-file" }, icon("file"), words, remove);
    }
    const url = URL.createObjectURL(file);
    this.#urls.push(url);
    return element("div", { class: "attachment" }, element("img", { src: url, alt: file.name }), remove);
  }
}

/** The ways that fit all of these files, the usual one first. */
function waysFor(files: readonly File[]): SendAs[] {
  const isAll = (test: (file: File) => boolean) => files.length > 0 && files.every(test);
  if (isAll((file) => file.type === "image/webp") && files.length === 1)
    return ["photo", "document", "sticker"];
  if (isAll((file) => file.type.startsWith("image/"))) return ["photo", "document"];
  if (isAll((file) => file.type.startsWith("audio/")) && files.length === 1) return ["document", "voice"];
  return ["document"];
}
