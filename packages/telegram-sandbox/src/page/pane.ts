import type { TelegramMessage } from "@gramio/types";
import { post, RequestFailed } from "./api.js";
import { avatar, hueOf } from "./avatar.js";
import type { Chat, Draft } from "./chat.js";
import { ChatView } from "./chat-view.js";
import { Composer } from "./composer.js";
import { element, makeButton } from "./dom.js";
import { isEditable } from "./editable.js";
import { fullName } from "./format.js";
import type { Lightbox } from "./lightbox.js";
import { copyText, startParameter } from "./links.js";
import { type MenuItem, menuButton } from "./menu.js";
import { PURSE_STARS, Purse } from "./purse.js";
import type { RowActions } from "./row.js";
import { type CallbackAnswer, type Person, Store } from "./store.js";
import { Notices } from "./toast.js";
import { type Words, wordsIn } from "./words/words.js";

/**
 * Shows the people of the sandbox for a button with `request_users`, and shares the chosen one.
 * @returns the panel, which removes itself
 */
function peopleChoice(
  people: readonly Person[],
  chooser: Person,
  place: { chat: number; request_id: number },
): HTMLElement {
  const words = wordsIn(chooser.user.language_code);
  const veil: HTMLElement = element("div", { class: "veil", onclick: () => veil.remove() });
  const buttons = people.map(({ user }) =>
    makeButton(
      {
        class: "key",
        onclick: () => {
          veil.remove();
          void post("shared-users", { person: chooser.user.id, ...place, user_ids: [user.id] });
        },
      },
      element("span", { class: "button-label" }, fullName(user)),
    ),
  );
  const box = element(
    "div",
    { class: "alert", role: "dialog", "aria-label": words.choosePeople, "data-testid": "people-choice" },
    element("div", { class: "alert-title" }, words.choosePeople),
    ...buttons,
  );
  veil.append(box);
  return veil;
}

/** What a person may do with a message. */
interface MessageDeeds {
  reply(message: TelegramMessage): void;
  edit(message: TelegramMessage): void;
  copy(text: string): void;
  remove(ids: readonly number[]): void;
}

/** The menu of a message or an album; the reply is to `pointed`, one of them. */
function messageItems(
  messages: readonly TelegramMessage[],
  pointed: TelegramMessage,
  { user }: Person,
  chat: Chat,
  deeds: MessageDeeds,
): MenuItem[] {
  const words = wordsIn(user.language_code);
  const worded = messages.find(({ text, caption }) => text ?? caption) ?? pointed;
  const text = worded.text ?? worded.caption;
  const isDeletable = chat.type === "private" || pointed.from?.id === user.id;
  const ids = messages.map(({ message_id }) => message_id);
  const items: (MenuItem | false)[] = [
    { label: words.reply, icon: "reply", choose: () => deeds.reply(pointed) },
    text !== undefined && { label: words.copyText, icon: "copy", choose: () => deeds.copy(text) },
    isEditable(worded, user.id) && { label: words.edit, icon: "edit", choose: () => deeds.edit(worded) },
    isDeletable && { label: words.delete, icon: "trash", isDanger: true, choose: () => deeds.remove(ids) },
  ];
  return items.filter((item) => item !== false);
}

/** The menu of a person: who they are to the bot, and whether it may write to them. */
function personMenu(
  user: Person["user"],
  deeds: { copy(text: string): void; setBlocked(isBlocked: boolean): void; fillPurse(): void },
): { head: string[]; items: MenuItem[] } {
  const words = wordsIn(user.language_code);
  const name = user.username === undefined ? "" : ` · @${user.username}`;
  const rest = `${user.language_code ?? words.noLanguage}${user.is_admin ? ` · ${words.admin}` : ""}`;
  const block: MenuItem = user.has_blocked_bot
    ? { label: words.unblockBot, icon: "check", choose: () => deeds.setBlocked(false) }
    : { label: words.blockBot, icon: "close", isDanger: true, choose: () => deeds.setBlocked(true) };
  const copy: MenuItem = {
    label: words.copyUserId,
    icon: "copy",
    choose: () => deeds.copy(String(user.id)),
  };
  const fill: MenuItem = {
    label: words.fillPurse(PURSE_STARS),
    icon: "star",
    choose: deeds.fillPurse,
  };
  const head = [`${fullName(user)}${name}`, `id ${user.id} · ${rest}`, words.purse(user.stars)];
  return { head, items: [copy, fill, block] };
}

/** What a pane shows: the private chat with the bot, or the group. */
export type Tab = "private" | "group";

/** The messenger of one person. */
export class Pane {
  readonly element: HTMLElement;
  readonly person: Person;
  readonly purse: Purse;
  readonly #store: Store;
  readonly #lightbox: Lightbox;
  readonly #tabChanged: () => void;
  readonly #views: ChatView[];
  readonly #composer: Composer;
  readonly #notices: Notices;
  readonly #words: Words;
  readonly #startBar: HTMLButtonElement;
  /** Taps made in this window that wait for their answers. */
  readonly #ownTaps = new Set<string>();
  #active: ChatView;
  #isVisible = false;

  constructor(store: Store, person: Person, lightbox: Lightbox, tabChanged: () => void) {
    this.#store = store;
    this.#words = wordsIn(person.user.language_code);
    this.#notices = new Notices(this.#words);
    this.person = person;
    this.purse = new Purse(person, this.#notices, (request) => void this.#try(request));
    this.#lightbox = lightbox;
    this.#tabChanged = tabChanged;
    this.#views = Store.chatsOf(person).map(
      (chat) => new ChatView(chat, person, store.bot, this.#actionsOf(chat)),
    );
    const [first] = this.#views;
    if (first === undefined) throw new Error("A person has a private chat");
    this.#active = first;
    this.#composer = new Composer(person.user, store.bot, first.chat, {
      send: (draft) => this.#send(draft),
      choosePeople: (request_id) => this.#choosePeople(request_id),
    });
    this.#startBar = makeButton({ class: "start-bar", hidden: true, onclick: () => this.#start() });
    this.element = this.#build();
    for (const view of this.#views) {
      view.chat.subscribe(() => this.#render());
      view.tab.addEventListener("click", () => {
        this.open(view.chat.type === "private" ? "private" : "group");
        this.#tabChanged();
      });
    }
    this.#listenForDrops();
    this.#render();
  }

  get tab(): Tab {
    return this.#active.chat.type === "private" ? "private" : "group";
  }

  get unread(): number {
    return this.#views.reduce((sum, view) => sum + view.chat.unread, 0);
  }

  open(tab: Tab): void {
    const next = this.#views.find((view) => (view.chat.type === "private") === (tab === "private"));
    if (next === undefined || next === this.#active) return;
    this.#active = next;
    this.#watch();
    this.#composer.open(next.chat);
    this.#render();
  }

  /** Shows or hides the pane; in a hidden one messages stay unread. */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.element.hidden = !isVisible;
    this.#watch();
  }

  /** Shows the bot's answer to a tap of this window; another window shows the answers to its own. */
  answer({ message_id, data, text, show_alert, url }: CallbackAnswer): void {
    if (!this.#ownTaps.delete(`${message_id}:${data}`)) return;
    if (text !== undefined && text !== "") {
      if (show_alert) this.#notices.alert(this.#store.bot.first_name, text);
      else this.#notices.toast(text);
    }
    if (url !== undefined) {
      this.#notices.toast(this.#words.botOffersLink, {
        label: this.#words.open,
        open: () => this.#openLink(url),
      });
    }
  }

  /** Reads what is in view, as after the window came back. */
  refresh(): void {
    this.#watch();
  }

  /** The connection is back: what waits is sent. */
  wake(): void {
    for (const { outbox } of this.#views) outbox.wake();
  }

  #build(): HTMLElement {
    const { user, index } = this.person;
    const name = fullName(user);
    const identity = element(
      "div",
      { class: "identity" },
      avatar(name, hueOf(index)),
      element("span", { class: "identity-name" }, name),
      user.is_admin && element("span", { class: "admin-mark" }, this.#words.admin),
    );
    const menu = menuButton(this.#words.menuOf(name), () => this.#menu());
    const tabs = element("div", { class: "tabs", role: "tablist" }, ...this.#views.map(({ tab }) => tab));
    const stage = element(
      "div",
      { class: "stage" },
      ...this.#views.map(({ timeline }) => timeline.element),
      this.#notices.element,
    );
    return element(
      "section",
      { class: "pane", "data-person": user.id, "data-hue": hueOf(index), "aria-label": name },
      element("header", { class: "pane-head" }, identity, element("div", { class: "tab-line" }, tabs, menu)),
      stage,
      this.#startBar,
      this.#composer.element,
    );
  }

  #render(): void {
    for (const view of this.#views) view.render(view === this.#active);
    const { chat } = this.#active;
    const isBlocked = chat.type === "private" && this.person.user.has_blocked_bot;
    const isEmpty = chat.type === "private" && chat.isUnbegun;
    this.#startBar.hidden = !isBlocked && !isEmpty;
    this.#startBar.textContent = isBlocked ? this.#words.restart : this.#words.start;
    this.#startBar.dataset.testid = isBlocked ? "restart" : "start";
    this.#composer.element.hidden = isBlocked || isEmpty;
    this.element.classList.toggle("is-blocked", this.person.user.has_blocked_bot);
    this.#composer.render();
  }

  #watch(): void {
    for (const view of this.#views) {
      view.chat.isWatched = this.#isVisible && view === this.#active;
      if (view.chat.isWatched && !document.hidden) view.chat.read();
    }
  }

  #actionsOf(chat: Chat): RowActions {
    return {
      sendCommand: (text) => this.#composer.sendCommand(text),
      openLink: (url) => this.#openLink(url),
      copy: (text) => void this.#copy(text),
      insertText: (text) => this.#composer.insert(`@${this.#store.bot.username ?? ""} ${text}`),
      tap: (message, data) => void this.#tap(chat, message.message_id, data),
      pay: (invoice) => this.purse.pay(this.#at(chat), invoice),
      reply: (message) => this.#composer.replyTo(message),
      words: this.#words,
      itemsFor: (messages, pointed) => messageItems(messages, pointed, this.person, chat, this.#deeds(chat)),
      jumpTo: (messageId) => this.#active.timeline.jumpTo(messageId),
      openMedia: (messages, index) => this.#lightbox.open(messages, index, this.#words),
      isTapWaiting: (messageId, data) => chat.isTapWaiting(messageId, data),
      hueOf: (userId) => hueOf(this.#store.people.findIndex(({ user }) => user.id === userId)),
    };
  }

  #at(chat: Chat): { person: number; chat: number } {
    return { person: this.person.user.id, chat: chat.id };
  }

  #deeds(chat: Chat): MessageDeeds {
    const person = this.person.user.id;
    return {
      reply: (message) => this.#composer.replyTo(message),
      edit: (message) => this.#composer.edit(message),
      copy: (text) => void this.#copy(text),
      remove: (message_ids) => void this.#try(post("deletions", { person, chat: chat.id, message_ids })),
    };
  }

  #menu(): ReturnType<typeof personMenu> {
    return personMenu(this.person.user, {
      copy: (text) => void this.#copy(text),
      setBlocked: (isBlocked) => void this.#setBlocked(isBlocked),
      fillPurse: () => this.purse.fill(),
    });
  }

  #send(draft: Draft): void {
    const { chat, outbox } = this.#active;
    const { edited, text } = draft;
    if (edited === undefined) outbox.send(draft);
    else {
      const place = { person: this.person.user.id, chat: chat.id, message_id: edited.message_id };
      void this.#try(post("edits", { ...place, text }));
    }
  }

  #choosePeople(request_id: number): void {
    const place = { chat: this.#active.chat.id, request_id };
    this.#notices.element.append(peopleChoice(this.#store.people, this.person, place));
  }

  /** Waits for a request, and says it where it failed. */
  async #try(request: Promise<unknown>): Promise<void> {
    try {
      await request;
    } catch (error) {
      this.#notices.toast(error instanceof RequestFailed ? error.message : this.#words.notChanged);
    }
  }

  async #tap(chat: Chat, messageId: number, data: string): Promise<void> {
    this.#ownTaps.add(`${messageId}:${data}`);
    chat.startTap(messageId, data);
    try {
      await post("taps", { person: this.person.user.id, chat: chat.id, message_id: messageId, data });
    } catch (error) {
      chat.endTap(messageId, data);
      this.#notices.toast(error instanceof RequestFailed ? error.message : this.#words.tapNotSent);
    }
  }

  async #copy(text: string): Promise<void> {
    this.#notices.toast((await copyText(text)) ? this.#words.copied : this.#words.copyRefused);
  }

  /** A link to this bot starts it with its parameter, as in Telegram; any other opens in a new tab. */
  #openLink(url: string): void {
    const parameter = startParameter(url, this.#store.bot.username);
    if (parameter === undefined) {
      open(url, "_blank", "noopener,noreferrer");
      return;
    }
    this.open("private");
    this.#tabChanged();
    if (parameter !== "") this.#composer.sendText(`/start ${parameter}`);
  }

  async #start(): Promise<void> {
    if (this.person.user.has_blocked_bot && !(await this.#setBlocked(false))) return;
    this.#composer.sendText("/start");
  }

  async #setBlocked(isBlocked: boolean): Promise<boolean> {
    try {
      await post("blocks", { person: this.person.user.id, is_blocked: isBlocked });
    } catch (error) {
      this.#notices.toast(error instanceof RequestFailed ? error.message : this.#words.notChanged);
      return false;
    }
    this.person.user = { ...this.person.user, has_blocked_bot: isBlocked };
    this.#notices.toast(isBlocked ? this.#words.blocked : this.#words.unblocked);
    this.#render();
    return true;
  }

  #listenForDrops(): void {
    this.element.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      this.element.classList.add("is-dropping");
    });
    this.element.addEventListener("dragleave", ({ relatedTarget }) => {
      const isInside = relatedTarget instanceof Node && this.element.contains(relatedTarget);
      if (!isInside) this.element.classList.remove("is-dropping");
    });
    this.element.addEventListener("drop", (event) => {
      this.element.classList.remove("is-dropping");
      if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      if (!this.#composer.element.hidden) this.#composer.attach(event.dataTransfer.files);
    });
  }
}
