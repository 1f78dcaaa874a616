import type { TelegramMessage } from "@gramio/types";
import { renderAlbum, wordedOf } from "./album.js";
import { avatar } from "./avatar.js";
import { openContextMenu } from "./context-menu.js";
import { element, Slot } from "./dom.js";
import { richText, type TextActions } from "./entities.js";
import { clockTime, fullName, fullTime, isEmojiOnly } from "./format.js";
import { icon } from "./icons.js";
import { InlineKeyboard, type KeyboardActions } from "./keyboard.js";
import { inlineKeyboardOf, payKeyboardOf } from "./markup.js";
import { mediaSignature, renderMedia } from "./media.js";
import type { MenuItem } from "./menu.js";
import { summary, thumbnail, thumbnailId } from "./quoted.js";
import { listenForTouch } from "./touch.js";
import type { Unit } from "./units.js";
import type { Words } from "./words/words.js";

/** What a row lets its pane do. */
export interface RowActions extends TextActions, Omit<KeyboardActions, "tap" | "pay"> {
  tap(message: TelegramMessage, data: string): void;
  pay(message: TelegramMessage): void;
  reply(message: TelegramMessage): void;
  /** What can be done with a message or album; `pointed` is the one of the album that is replied to. */
  itemsFor(messages: readonly TelegramMessage[], pointed: TelegramMessage): MenuItem[];
  jumpTo(messageId: number): void;
  openMedia(messages: readonly TelegramMessage[], index: number): void;
  isTapWaiting(messageId: number, data: string): boolean;
  hueOf(userId: number): number;
}

/** One message or album in the timeline; it changes in place when its message is edited. */
export class BubbleRow {
  readonly element = element("article", { class: "row", "data-testid": "message" });
  readonly #actions: RowActions;
  readonly #isGroup: boolean;
  readonly #avatar = new Slot("row-avatar");
  readonly #author = new Slot("author");
  readonly #quote = new Slot("quote-slot");
  readonly #media = new Slot("media");
  readonly #text = new Slot("text");
  readonly #meta = new Slot("meta-slot");
  readonly #bubble: HTMLElement;
  readonly #keyboard: InlineKeyboard;
  #messages: readonly TelegramMessage[] = [];

  constructor(actions: RowActions, isGroup: boolean) {
    this.#actions = actions;
    this.#isGroup = isGroup;
    this.#keyboard = new InlineKeyboard({
      ...actions,
      tap: (data) => this.#tap(data),
      pay: () => this.#pay(),
    });
    this.#text.element.dir = "auto";
    this.#bubble = element(
      "div",
      { class: "bubble" },
      this.#author.element,
      this.#quote.element,
      this.#media.element,
      this.#text.element,
      this.#meta.element,
    );
    const tool = element(
      "button",
      { type: "button", class: "row-tool", "aria-label": actions.words.messageMenu, "aria-haspopup": "menu" },
      icon("more"),
    );
    tool.addEventListener("click", () => {
      const { left, bottom } = tool.getBoundingClientRect();
      this.#openMenu(left, bottom + 4, null);
    });
    const line = element("div", { class: "bubble-line" }, this.#bubble, tool);
    const stack = element("div", { class: "stack" }, line, this.#keyboard.element);
    this.element.append(this.#avatar.element, stack);
    this.#bubble.addEventListener("dblclick", ({ target }) => {
      if (target instanceof Element && target.closest("a, button, input, video, code, pre") === null)
        this.#reply(target);
    });
    this.#bubble.addEventListener("contextmenu", (event) => {
      // Links, videos and what is selected keep the browser's own menu.
      const { target } = event;
      const isOther = target instanceof Element && target.closest("a, video") !== null;
      if (isOther || getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      this.#openMenu(event.clientX, event.clientY, target);
    });
    listenForTouch(line, {
      press: (x, y, target) => this.#openMenu(x, y, target),
      swipe: (target) => this.#reply(target),
    });
  }

  update(unit: Extract<Unit, { kind: "bubble" }>): void {
    const [first] = unit.messages;
    if (first === undefined) return;
    this.#messages = unit.messages;
    const { dataset, classList } = this.element;
    if (first.media_group_id !== undefined) dataset.album = first.media_group_id;
    // An album is found by any of its messages: each tile carries its own id.
    if (unit.messages.length === 1) dataset.messageId = String(first.message_id);
    else delete dataset.messageId;
    classList.toggle("is-own", unit.isOwn);
    classList.toggle("is-first", unit.isFirst);
    classList.toggle("is-last", unit.isLast);
    this.#showWho(first, unit.isOwn, unit.isFirst, unit.isLast);
    this.#showQuote(first);
    this.#showMedia(unit.messages);
    const isAlbum = unit.messages.length > 1;
    this.#showText(first, isAlbum ? wordedOf(unit.messages) : first, unit.isOwn);
    this.#keyboard.show(inlineKeyboardOf(first) ?? payKeyboardOf(first, this.#actions.words), (data) =>
      this.#actions.isTapWaiting(first.message_id, data),
    );
  }

  #showWho(message: TelegramMessage, isOwn: boolean, isFirst: boolean, isLast: boolean): void {
    const { from } = message;
    const isNamed = this.#isGroup && !isOwn && from !== undefined;
    const hue = isNamed ? this.#actions.hueOf(from.id) : 0;
    this.#avatar.element.dataset.hue = String(hue);
    this.#avatar.show(isNamed ? `${from.id} ${isLast}` : "", () =>
      isNamed && isLast ? [avatar(fullName(from), hue, from.is_bot ? "bot" : "person")] : [],
    );
    this.#author.element.dataset.hue = String(hue);
    this.#author.show(isNamed && isFirst ? fullName(from) : "", () =>
      isNamed
        ? [fullName(from), from.is_bot && element("span", { class: "bot-mark" }, this.#actions.words.bot)]
        : [],
    );
  }

  #showQuote(message: TelegramMessage): void {
    const answered = message.reply_to_message;
    // In a topic, what answers nothing answers the topic's opening: no quote stands for that.
    const quoted = answered?.forum_topic_created === undefined ? answered : undefined;
    const name = quoted?.from ? fullName(quoted.from) : "";
    const line = quoted === undefined ? "" : (message.quote?.text ?? summary(quoted, this.#actions.words));
    this.#quote.show(
      quoted === undefined ? "" : `${quoted.message_id} ${thumbnailId(quoted) ?? ""} ${name} ${line}`,
      () => {
        if (quoted === undefined) return [];
        const quote = element(
          "button",
          { type: "button", class: "quote", onclick: () => this.#actions.jumpTo(quoted.message_id) },
          ...thumbnail(quoted),
          element("span", { class: "quote-name" }, name),
          element("span", { class: "quote-text" }, line),
        );
        if (quoted.from) quote.dataset.hue = String(this.#actions.hueOf(quoted.from.id));
        return [quote];
      },
    );
  }

  #showMedia(messages: readonly TelegramMessage[]): void {
    const [first] = messages;
    if (first === undefined) return;
    const signature = messages.map((message) => `${message.message_id}${mediaSignature(message)}`).join();
    const hasMedia = messages.some((message) => mediaSignature(message) !== "");
    const open = (index: number) => this.#actions.openMedia(this.#messages, index);
    this.#media.show(hasMedia ? signature : "", () =>
      messages.length > 1
        ? [renderAlbum(messages, open, this.#actions)]
        : [renderMedia(first, () => open(0), this.#actions.words)],
    );
    const { classList } = this.#bubble;
    const isVisual = first.photo ?? first.video ?? first.animation;
    classList.toggle("has-visual", isVisual !== undefined);
    classList.toggle("has-file", hasMedia && isVisual === undefined);
    classList.toggle("is-bare", first.sticker !== undefined || first.video_note !== undefined);
    classList.toggle("is-caption-first", first.show_caption_above_media === true);
  }

  #showText(message: TelegramMessage, worded: TelegramMessage | undefined, isOwn: boolean): void {
    const text = worded?.text ?? worded?.caption ?? "";
    const entities = worded?.entities ?? worded?.caption_entities;
    const { words } = this.#actions;
    const isLarge = message.text !== undefined && entities === undefined && isEmojiOnly(text);
    this.#bubble.classList.toggle("is-emoji", isLarge);
    const stamp = `${message.date} ${message.edit_date ?? ""}`;
    this.#text.show(text === "" ? "" : JSON.stringify([text, entities ?? [], stamp]), () => [
      richText(text, entities, this.#actions),
      metaOf(message, isOwn, words),
    ]);
    this.#meta.show(text === "" ? stamp : "", () => [metaOf(message, isOwn, words)]);
  }

  #tap(data: string): void {
    const [first] = this.#messages;
    if (first !== undefined) this.#actions.tap(first, data);
  }

  #pay(): void {
    const [first] = this.#messages;
    if (first !== undefined) this.#actions.pay(first);
  }

  #reply(target: EventTarget | null): void {
    const pointed = this.#pointed(target);
    if (pointed !== undefined) this.#actions.reply(pointed);
  }

  #openMenu(x: number, y: number, target: EventTarget | null): void {
    const pointed = this.#pointed(target);
    if (pointed !== undefined) openContextMenu(this.#actions.itemsFor(this.#messages, pointed), x, y);
  }

  /** The message of an album at which something points; the first one where it points at none. */
  #pointed(target: EventTarget | null): TelegramMessage | undefined {
    const tile = target instanceof Element ? target.closest<HTMLElement>("[data-message-id]") : null;
    const id = Number(tile?.dataset.messageId);
    return this.#messages.find(({ message_id }) => message_id === id) ?? this.#messages[0];
  }
}

/** Telegram's apps do not show that a bot edited its message. */
function metaOf(message: TelegramMessage, isOwn: boolean, words: Words): HTMLElement {
  const time = element("time", { title: fullTime(message.date, words) }, clockTime(message.date));
  const isEdited = message.edit_date !== undefined && message.from?.is_bot !== true;
  return element("span", { class: "meta" }, isEdited && `${words.edited} `, time, isOwn && icon("check"));
}
