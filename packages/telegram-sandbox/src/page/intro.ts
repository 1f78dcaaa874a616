import type { TelegramUser } from "@gramio/types";
import { avatar } from "./avatar.js";
import type { Chat } from "./chat.js";
import { element, Slot } from "./dom.js";
import type { Words } from "./words/words.js";

/** What an empty chat shows: who the bot is, what it understands, and whose eyes see this place. */
export class Intro {
  readonly element: HTMLElement;
  readonly #description = new Slot("intro-description");
  readonly #commands = new Slot("intro-commands");

  readonly #words: Words;

  constructor(bot: TelegramUser, title: string, isGroup: boolean, words: Words) {
    this.#words = words;
    this.element = element(
      "div",
      { class: "intro", "data-testid": "intro" },
      avatar(title, 5, isGroup ? "group" : "bot"),
      element("h2", {}, title),
      bot.username !== undefined && !isGroup && element("div", { class: "intro-name" }, `@${bot.username}`),
      this.#description.element,
      element("p", {}, isGroup ? words.aboutGroup : words.pressStart),
      this.#commands.element,
    );
  }

  /** Lists what the bot told about itself. */
  show({ commands, description }: Pick<Chat, "commands" | "description">): void {
    this.#description.show(description, () =>
      description === "" ? [] : [element("b", {}, this.#words.aboutBot), element("div", {}, description)],
    );
    this.#commands.show(JSON.stringify(commands.slice(0, 8)), () =>
      commands
        .slice(0, 8)
        .map(({ command, description }) =>
          element("div", {}, element("b", {}, `/${command}`), element("span", {}, description)),
        ),
    );
  }
}
