import type { TelegramBotCommand } from "@gramio/types";
import { element } from "./dom.js";

let lastId = 0;

/** The list of commands over the composer: arrows choose, Enter sends, Tab writes it out, Esc closes. */
export class Completion {
  readonly element: HTMLElement;
  readonly #id: string;
  #shown: readonly TelegramBotCommand[] = [];
  #chosen = 0;

  constructor(
    private readonly textarea: HTMLTextAreaElement,
    private readonly choose: (command: TelegramBotCommand, how: "send" | "write") => void,
  ) {
    lastId += 1;
    this.#id = `completion-${lastId}`;
    this.element = element("div", {
      class: "completion",
      role: "listbox",
      id: this.#id,
      "aria-label": "Commands",
      "data-testid": "completion",
      hidden: true,
    });
    textarea.setAttribute("aria-autocomplete", "list");
    textarea.setAttribute("aria-controls", this.#id);
    // The textarea keeps the focus, so the keyboard of a phone stays open.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Offers the commands that begin with what is written; closes where the text is no beginning of a command. */
  show(text: string, commands: readonly TelegramBotCommand[]): void {
    const match = /^\/([a-z0-9_]*)$/iu.exec(text);
    if (match === null) {
      this.close();
      return;
    }
    const beginning = (match[1] ?? "").toLowerCase();
    const fitting = commands.filter(({ command }) => command.startsWith(beginning));
    this.#shown = fitting.toSorted(
      (a, b) => Number(b.command === beginning) - Number(a.command === beginning),
    );
    this.#chosen = 0;
    this.element.hidden = this.#shown.length === 0;
    this.textarea.setAttribute("aria-expanded", String(this.isOpen));
    this.#render();
  }

  close(): void {
    this.element.hidden = true;
    this.textarea.removeAttribute("aria-activedescendant");
    this.textarea.setAttribute("aria-expanded", "false");
  }

  /** Takes a key while the list is open. Returns true where the key was for the list. */
  handleKey(key: string): boolean {
    if (!this.isOpen) return false;
    const count = this.#shown.length;
    if (key === "ArrowDown" || key === "ArrowUp") {
      this.#chosen = (this.#chosen + (key === "ArrowDown" ? 1 : count - 1)) % count;
      this.#render();
      return true;
    }
    const command = this.#shown[this.#chosen];
    if ((key === "Enter" || key === "Tab") && command !== undefined) {
      this.close();
      this.choose(command, key === "Enter" ? "send" : "write");
      return true;
    }
    if (key === "Escape") this.close();
    return key === "Escape";
  }

  #render(): void {
    const options = this.#shown.map((command, index) =>
      element(
        "div",
        {
          class: "option",
          role: "option",
          id: `${this.#id}-${index}`,
          "aria-selected": String(index === this.#chosen),
          "data-command": command.command,
          onclick: () => {
            this.close();
            this.choose(command, "send");
          },
        },
        element("span", { class: "option-name" }, `/${command.command}`),
        element("span", { class: "option-words" }, command.description),
      ),
    );
    this.element.replaceChildren(...options);
    this.textarea.setAttribute("aria-activedescendant", `${this.#id}-${this.#chosen}`);
    options[this.#chosen]?.scrollIntoView({ block: "nearest" });
  }
}
