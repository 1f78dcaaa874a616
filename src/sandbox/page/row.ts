import type { TelegramMessage } from "@gramio/types";
import { renderAlbum } from "./album.js";
import { avatar } from "./avatar.js";
import { openContextMenu } from "./context-menu.js";
import { element, Slot } from "./dom.js";
import { richText, type TextActions } from "./entities.js";
import { clockTime, fullName, fullTime, isEmojiOnly } from "./format.js";
import { icon } from "./icons.js";
import { InlineKeyboard, type KeyboardActions } from "./keyboard.js";
import { inlineKeyboardOf } from "./markup.js";
import { mediaSignature, renderMedia, summary } from "./media.js";
import type { MenuItem } from "./menu.js";
import type { Unit } from "./units.js";

/** What a row lets its pane do. */
export interface RowActions extends TextActions, Omit<KeyboardActions, "tap"> {
  tap(message: TelegramMessage, data: string): void;
  reply(message: TelegramMessage): void;
  /** What can be done with a message or album. */
  itemsFor(messages: readonly TelegramMessage[]): MenuItem[];
  jumpTo(messageId: number): void;
  openMedia(messages: readonly TelegramMessage[], index: number): void;
  isTapWaiting(messageId: number, data: string): boolean;
  hueOf(userId: number): number;
}

const LONG_PRESS_MS = 450;

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
    this.#keyboard = new InlineKeyboard({ ...actions, tap: (data) => this.#tap(data) });
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
      { type: "button", class: "row-tool", "aria-label": "Message menu", "aria-haspopup": "menu" },
      icon("more"),
    );
    tool.addEventListener("click", () => {
      const { left, bottom } = tool.getBoundingClientRect();
      this.#openMenu(left, bottom + 4);
    });
    const line = element("div", { class: "bubble-line" }, this.#bubble, tool);
    const stack = element("div", { class: "stack" }, line, this.#keyboard.element);
    this.element.append(this.#avatar.element, stack);
    this.#bubble.addEventListener("dblclick", ({ target }) => {
      if (target instanceof Element && target.closest("a, button, input, video, code, pre") === null)
        this.#reply();
    });
    this.#bubble.addEventListener("contextmenu", (event) => {
      // Links, pictures and what is selected keep the browser's own menu.
      const { target } = event;
      const isOther = target instanceof Element && target.closest("a, img, video") !== null;
      if (isOther || getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      this.#openMenu(event.clientX, event.clientY);
    });
    this.#listenForLongPress();
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
    const worded = unit.messages.find((message) => message.caption) ?? first;
    this.#showText(worded, unit.isOwn);
    this.#keyboard.show(inlineKeyboardOf(first), (data) =>
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
      isNamed ? [fullName(from), from.is_bot && element("span", { class: "bot-mark" }, "bot")] : [],
    );
  }

  #showQuote(message: TelegramMessage): void {
    const answered = message.reply_to_message;
    // In a topic, what answers nothing answers the topic's opening: no quote stands for that.
    const quoted = answered?.forum_topic_created === undefined ? answered : undefined;
    const name = quoted?.from ? fullName(quoted.from) : "";
    const line = quoted === undefined ? "" : (message.quote?.text ?? summary(quoted));
    this.#quote.show(quoted === undefined ? "" : `${quoted.message_id} ${name} ${line}`, () => {
      if (quoted === undefined) return [];
      const quote = element(
        "button",
        { type: "button", class: "quote", onclick: () => this.#actions.jumpTo(quoted.message_id) },
        element("span", { class: "quote-name" }, name),
        element("span", { class: "quote-text" }, line),
      );
      if (quoted.from) quote.dataset.hue = String(this.#actions.hueOf(quoted.from.id));
      return [quote];
    });
  }

  #showMedia(messages: readonly TelegramMessage[]): void {
    const [first] = messages;
    if (first === undefined) return;
    const signature = messages.map((message) => `${message.message_id}${mediaSignature(message)}`).join();
    const hasMedia = messages.some((message) => mediaSignature(message) !== "");
    const open = (index: number) => this.#actions.openMedia(this.#messages, index);
    this.#media.show(hasMedia ? signature : "", () =>
      messages.length > 1 ? [renderAlbum(messages, open)] : [renderMedia(first, () => open(0))],
    );
    const { classList } = this.#bubble;
    const isVisual = first.photo ?? first.video ?? first.animation;
    classList.toggle("has-visual", isVisual !== undefined);
    classList.toggle("has-file", hasMedia && isVisual === undefined);
    classList.toggle("is-bare", first.sticker !== undefined || first.video_note !== undefined);
    classList.toggle("is-caption-first", first.show_caption_above_media === true);
  }

  #showText(message: TelegramMessage, isOwn: boolean): void {
    const text = message.text ?? message.caption ?? "";
    const entities = message.entities ?? message.caption_entities;
    const isLarge = message.text !== undefined && entities === undefined && isEmojiOnly(text);
    this.#bubble.classList.toggle("is-emoji", isLarge);
    const stamp = `${message.date} ${message.edit_date ?? ""}`;
    this.#text.show(text === "" ? "" : JSON.stringify([text, entities ?? [], stamp]), () => [
      richText(text, entities, this.#actions),
      metaOf(message, isOwn),
    ]);
    this.#meta.show(text === "" ? stamp : "", () => [metaOf(message, isOwn)]);
  }

  #tap(data: string): void {
    const [first] = this.#messages;
    if (first !== undefined) this.#actions.tap(first, data);
  }

  #reply(): void {
    const [first] = this.#messages;
    if (first !== undefined) this.#actions.reply(first);
  }

  #openMenu(x: number, y: number): void {
    openContextMenu(this.#actions.itemsFor(this.#messages), x, y);
  }

  /** On a touch screen there is no hover: a long press opens the menu. */
  #listenForLongPress(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => clearTimeout(timer);
    this.#bubble.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
      if (pointerType === "touch") timer = setTimeout(() => this.#openMenu(clientX, clientY), LONG_PRESS_MS);
    });
    for (const name of ["pointerup", "pointercancel", "pointermove"])
      this.#bubble.addEventListener(name, stop);
  }
}

function metaOf(message: TelegramMessage, isOwn: boolean): HTMLElement {
  const time = element("time", { title: fullTime(message.date) }, clockTime(message.date));
  const isEdited = message.edit_date !== undefined;
  return element("span", { class: "meta" }, isEdited && "edited ", time, isOwn && icon("check"));
}
