import type { TelegramUser } from "@gramio/types";
import { avatar } from "./avatar.js";
import type { Chat } from "./chat.js";
import { element, makeButton, Slot } from "./dom.js";
import { Outbox } from "./outbox.js";
import type { Person } from "./store.js";
import { Timeline, type TimelineActions } from "./timeline.js";
import { counted, type Words } from "./words/words.js";

/** The topics of a group, General first; nothing where a group has none. */
class TopicStrip {
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
        makeButton(
          {
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

/** What an empty chat shows: who the bot is, what it understands, and whose eyes see this place. */
class Intro {
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

/** One chat inside a pane: its tab with the state of the bot, its timeline, its outbox. */
export class ChatView {
  readonly chat: Chat;
  readonly tab: HTMLButtonElement;
  readonly timeline: Timeline;
  readonly outbox: Outbox;
  readonly #intro: Intro;
  readonly #topics: TopicStrip;
  readonly #status = element("span", { class: "tab-status" });
  readonly #unread = element("span", { class: "unread", hidden: true, "data-testid": "unread" });
  readonly #words: Words;
  #statusShown = "";

  constructor(
    chat: Chat,
    person: Person,
    bot: TelegramUser,
    actions: Omit<TimelineActions, "retry" | "discard">,
  ) {
    this.chat = chat;
    this.#words = actions.words;
    this.outbox = new Outbox(person.user.id, chat, actions.words);
    const isGroup = chat.type !== "private";
    const title = isGroup ? chat.title : bot.first_name;
    this.#intro = new Intro(bot, title, isGroup, actions.words);
    this.timeline = new Timeline(chat, person.user.id, title, this.#intro.element, {
      ...actions,
      retry: (key) => this.outbox.retry(key),
      discard: (key) => this.outbox.discard(key),
    });
    this.#topics = new TopicStrip(title, actions.words);
    this.timeline.element.prepend(this.#topics.element);
    this.tab = makeButton(
      { class: "tab", role: "tab", "data-tab": isGroup ? "group" : "private", title },
      avatar(title, 5, isGroup ? "group" : "bot"),
      element("span", { class: "tab-words" }, element("span", { class: "tab-title" }, title), this.#status),
      this.#unread,
    );
  }

  render(isActive: boolean): void {
    this.timeline.element.hidden = !isActive;
    this.tab.setAttribute("aria-selected", String(isActive));
    this.#intro.show(this.chat);
    this.#topics.show(this.chat);
    this.timeline.render();
    this.#unread.hidden = this.chat.unread === 0;
    this.#unread.textContent = String(this.chat.unread);
    this.#unread.setAttribute("aria-label", counted(this.chat.unread, this.#words.unread, this.#words));
    this.#renderStatus();
  }

  #renderStatus(): void {
    const { action, type, members } = this.chat;
    const known: Readonly<Record<string, string>> = this.#words.actions;
    const words = action && (known[action] ?? action.replaceAll("_", " "));
    const rest =
      type === "private" ? this.#words.bot : counted(members.length + 1, this.#words.members, this.#words);
    const next = words ?? rest;
    if (next === this.#statusShown) return;
    this.#statusShown = next;
    this.#status.classList.toggle("is-acting", words !== undefined);
    const dots = element(
      "span",
      { class: "dots", "aria-hidden": "true" },
      element("i"),
      element("i"),
      element("i"),
    );
    this.#status.replaceChildren(...(words === undefined ? [rest] : [words, dots]));
  }
}
