import type { Chat } from "./chat.js";
import { element, Slot } from "./dom.js";
import type { Words } from "./words/words.js";

/** The topics of a group, General first; nothing where a group has none. */
export class TopicStrip {
  readonly #slot = new Slot("topics");

  readonly #words: Words;

  constructor(title: string, words: Words) {
    this.#words = words;
    this.element.setAttribute("role", "tablist");
    this.element.setAttribute("aria-label", words.topicsOf(title));
  }

  get element(): HTMLElement {
    return this.#slot.element;
  }

  show(chat: Chat): void {
    const topics = [{ id: undefined, name: this.#words.general }, ...chat.topics].map((topic) => ({
      ...topic,
      isOpen: topic.id === chat.topic,
      isUnread: chat.unreadTopics.has(topic.id),
    }));
    this.#slot.show(topics.length === 1 ? "" : JSON.stringify(topics), () =>
      topics.map(({ id, name, isOpen, isUnread }) =>
        element(
          "button",
          {
            type: "button",
            class: "topic",
            role: "tab",
            "aria-selected": String(isOpen),
            "data-topic": id ?? "general",
            onclick: () => chat.openTopic(id),
          },
          id !== undefined && element("span", { class: "topic-mark", "aria-hidden": "true" }, "#"),
          name,
          isUnread && element("span", { class: "topic-unread", title: this.#words.newMessages }),
        ),
      ),
    );
  }
}
