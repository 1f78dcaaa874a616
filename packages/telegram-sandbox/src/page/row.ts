import type {
  TelegramInlineKeyboardButton,
  TelegramInlineKeyboardMarkup,
  TelegramMessage,
} from "@gramio/types";
import { avatar } from "./avatar.js";
import { arrangeChildren, element, makeButton, Slot } from "./dom.js";
import { anchor, richText, type TextActions } from "./entities.js";
import { clockTime, fullName, fullTime, isEmojiOnly } from "./format.js";
import { icon } from "./icons.js";
import { safeUrl } from "./links.js";
import { inlineKeyboardOf, payKeyboardOf } from "./markup.js";
import { mediaSignature, renderMedia, renderVisual, visualSize } from "./media.js";
import { itemButtons, type MenuItem, moveInMenu } from "./menu.js";
import { summary, thumbnail, thumbnailId } from "./quoted.js";
import type { Unit } from "./units.js";
import type { Words } from "./words/words.js";

const LONG_PRESS_MS = 450;
/** A finger that rests moves a little. */
const REST_PX = 10;
const SWIPE_REPLY_PX = 56;
const SWIPE_MAX_PX = 84;

interface TouchActions {
  /** A finger rested at this point. */
  press(x: number, y: number, target: EventTarget | null): void;
  /** A finger went far enough to the left. */
  swipe(target: EventTarget | null): void;
}

/**
 * Tells long presses and swipes to the left on a touch screen. The element follows a swipe, and the click that ends
 * either gesture is swallowed. The element needs `touch-action: pan-y`, so that scrolling stays the browser's.
 */
function listenForTouch(element: HTMLElement, actions: TouchActions): void {
  let begun: { x: number; y: number; target: EventTarget | null } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let swipedPx = 0;
  let isTaken = false;

  const move = (px: number) => {
    swipedPx = px;
    element.style.transform = px === 0 ? "" : `translateX(${-px}px)`;
    element.classList.toggle("is-swiped", px > 0);
    element.classList.toggle("is-swiped-far", px >= SWIPE_REPLY_PX);
  };
  const end = () => {
    clearTimeout(timer);
    begun = undefined;
    move(0);
  };

  element.addEventListener("pointerdown", (event) => {
    end();
    isTaken = false;
    const { pointerType, isPrimary, clientX: x, clientY: y, target } = event;
    if (pointerType !== "touch" || !isPrimary || isSlider(target)) return;
    begun = { x, y, target };
    timer = setTimeout(() => {
      isTaken = true;
      end();
      actions.press(x, y, target);
    }, LONG_PRESS_MS);
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (begun === undefined) return;
    const [left, down] = [begun.x - clientX, Math.abs(clientY - begun.y)];
    if (Math.hypot(left, down) > REST_PX) clearTimeout(timer);
    if (swipedPx === 0 && (left < REST_PX || left < 2 * down)) return;
    isTaken = true;
    move(Math.min(Math.max(left - REST_PX, 0), SWIPE_MAX_PX));
  });
  element.addEventListener("pointerup", () => {
    const target = swipedPx >= SWIPE_REPLY_PX ? begun?.target : undefined;
    end();
    if (target !== undefined) actions.swipe(target);
  });
  element.addEventListener("pointercancel", end);
  const swallow = (event: Event) => {
    if (!isTaken) return;
    event.preventDefault();
    event.stopPropagation();
  };
  element.addEventListener("click", swallow, true);
  element.addEventListener("contextmenu", swallow, true);
}

/** The bar of a player moves sideways itself. */
function isSlider(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input") !== null;
}

interface KeyboardActions {
  readonly words: Words;
  tap(data: string): void;
  /** Pays the invoice above the buttons. */
  pay(): void;
  openLink(url: string): void;
  copy(text: string): void;
  insertText(text: string): void;
}

/**
 * Buttons under a message. A button whose meaning stays through an edit stays the same element, so that a press
 * begun before the edit and ended after it is not lost; one whose meaning changes is made anew, so that such a
 * press never becomes another tap than the one the person aimed at.
 */
class InlineKeyboard {
  readonly element: HTMLElement;
  #signature = "";
  #buttons = new Map<string, HTMLElement>();

  constructor(private readonly actions: KeyboardActions) {
    const label = actions.words.buttons;
    this.element = element("div", { class: "keyboard", hidden: true, role: "group", "aria-label": label });
  }

  show(markup: TelegramInlineKeyboardMarkup | undefined, isWaiting: (data: string) => boolean): void {
    const signature = JSON.stringify(markup?.inline_keyboard ?? []);
    if (signature !== this.#signature) this.#build(markup?.inline_keyboard ?? []);
    this.#signature = signature;
    for (const button of this.#buttons.values()) {
      const data = button.dataset.callback;
      if (data === undefined) continue;
      const waits = isWaiting(data);
      button.classList.toggle("is-waiting", waits);
      button.setAttribute("aria-busy", String(waits));
    }
  }

  #build(rows: readonly (readonly TelegramInlineKeyboardButton[])[]): void {
    const buttons = new Map<string, HTMLElement>();
    const lines = rows.map((row, index) => {
      const line = this.element.children[index] ?? element("div", { class: "keyboard-row" });
      const made = row.map((button) => {
        const { text, ...meaning } = button;
        let key = JSON.stringify(meaning);
        while (buttons.has(key)) key += "+";
        const one = this.#buttons.get(key) ?? this.#make(button);
        const label = one.querySelector(".button-label");
        if (label !== null && label.textContent !== text) label.textContent = text;
        buttons.set(key, one);
        return one;
      });
      arrangeChildren(line, made);
      return line;
    });
    this.#buttons = buttons;
    arrangeChildren(this.element, lines);
    this.element.hidden = rows.length === 0;
  }

  #make(button: TelegramInlineKeyboardButton): HTMLElement {
    const label = element("span", { class: "button-label" }, button.text);
    const { callback_data: data, copy_text: copy } = button;
    const url = button.url ?? button.web_app?.url ?? button.login_url?.url;
    const style = button.style === undefined ? "" : ` is-${button.style}`;
    const attributes = { class: `key${style}`, disabled: button.disabled !== undefined };
    if (data !== undefined) {
      const onclick = () => this.actions.tap(data);
      return makeButton({ ...attributes, "data-callback": data, onclick }, label);
    }
    if (button.pay) {
      const onclick = () => this.actions.pay();
      return makeButton({ ...attributes, "data-testid": "pay", onclick }, label);
    }
    if (copy !== undefined) {
      const onclick = () => this.actions.copy(copy.text);
      return makeButton({ ...attributes, "data-copy": copy.text, onclick }, label, icon("copy"));
    }
    if (url !== undefined) {
      return anchor(safeUrl(url), { class: `key${style}` }, this.actions, label, icon("link"));
    }
    const query = button.switch_inline_query_current_chat ?? button.switch_inline_query;
    if (query !== undefined) {
      return makeButton({ ...attributes, onclick: () => this.actions.insertText(query) }, label);
    }
    return makeButton({ ...attributes, disabled: true, title: this.actions.words.notHere }, label);
  }
}

const EDGE_PX = 8;

/** Opens a menu at a point of the window, moved so far that all of it can be seen. Only one is open at a time. */
function openContextMenu(items: readonly MenuItem[], x: number, y: number): void {
  document.querySelector<HTMLElement>(".context-menu")?.dispatchEvent(new Event("close"));
  const before = document.activeElement;
  const list = element("div", { class: "menu context-menu", role: "menu", "data-testid": "context-menu" });
  const end = new AbortController();
  const close = () => {
    end.abort();
    list.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  const { signal } = end;
  list.append(...itemButtons(items, close));
  list.addEventListener("close", close, { signal });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    moveInMenu(list, event);
  });
  const closeOutside = ({ target }: Event) => {
    if (!(target instanceof Node) || !list.contains(target)) close();
  };
  addEventListener("pointerdown", closeOutside, { signal, capture: true });
  addEventListener("scroll", closeOutside, { signal, capture: true });
  addEventListener("resize", close, { signal });
  document.body.append(list);
  const { width, height } = list.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  list.style.left = `${Math.max(EDGE_PX, Math.min(x, clientWidth - width - EDGE_PX))}px`;
  list.style.top = `${Math.max(EDGE_PX, Math.min(y, clientHeight - height - EDGE_PX))}px`;
  list.querySelector("button")?.focus({ preventScroll: true });
}

const ALBUM_WIDTH = 400;
const ALBUM_HEIGHT_BEST = 460;
const ROW_TILES_MAX = 4;
const WIDE_RATIO = 1.2;

/** One row of a mosaic: how many tiles, and its width divided by its height. */
interface MosaicRow {
  tiles: number;
  ratio: number;
}

/**
 * Divides pictures into rows of even height so that as little as possible is cropped: of all divisions the one
 * whose rows come nearest to a good height. Ten pictures have few divisions, so each is tried. Three of which the
 * first is wide are one above two, as in Telegram's apps.
 */
function mosaic(ratios: readonly number[]): MosaicRow[] {
  const clamped = ratios.map((ratio) => Math.min(Math.max(ratio, 0.66), 1.9));
  const [first = 1, ...others] = clamped;
  if (clamped.length === 3 && first > WIDE_RATIO) {
    return [
      { tiles: 1, ratio: first },
      { tiles: 2, ratio: others.reduce((sum, one) => sum + one, 0) },
    ];
  }
  let best: { cost: number; rows: MosaicRow[] } = { cost: Number.POSITIVE_INFINITY, rows: [] };
  const divide = (from: number, rows: MosaicRow[], cost: number): void => {
    if (cost >= best.cost) return;
    if (from === clamped.length) {
      best = { cost, rows };
      return;
    }
    for (let tiles = 1; tiles <= Math.min(ROW_TILES_MAX, clamped.length - from); tiles += 1) {
      const ratio = clamped.slice(from, from + tiles).reduce((sum, one) => sum + one, 0);
      divide(
        from + tiles,
        [...rows, { tiles, ratio }],
        cost + rowCost(ALBUM_WIDTH / ratio, tiles, clamped.length),
      );
    }
  };
  divide(0, [], 0);
  return best.rows;
}

/** The message whose words stand below an album: of pictures, the only one that has any, as in Telegram's apps. */
function wordedOf(messages: readonly TelegramMessage[]): TelegramMessage | undefined {
  if (messages.some((message) => visualSize(message) === undefined)) return messages.at(-1);
  const worded = messages.filter(({ text, caption }) => text ?? caption);
  return worded.length === 1 ? worded[0] : undefined;
}

/** Renders an album: pictures and videos as a mosaic, files and tracks one under another. */
function renderAlbum(
  messages: readonly TelegramMessage[],
  open: (index: number) => void,
  actions: TextActions,
): HTMLElement {
  const sizes = messages.map(visualSize);
  if (sizes.some((size) => size === undefined)) return stack(messages, open, actions);
  const ratios = sizes.map((size) => (size === undefined ? 1 : size.width / size.height));
  const album = element("div", { class: "album", "data-testid": "album" });
  let index = 0;
  for (const row of mosaic(ratios)) {
    const line = element("div", { class: "album-row" });
    line.style.setProperty("--row-ratio", String(Math.min(Math.max(row.ratio, 0.9), 5)));
    for (const end = index + row.tiles; index < end; index += 1) {
      const at = index;
      const message = messages[at];
      if (message !== undefined)
        line.append(tile(message, ratios[index] ?? 1, () => open(at), actions.words));
    }
    album.append(line);
  }
  return album;
}

function tile(message: TelegramMessage, ratio: number, open: () => void, words: Words): HTMLElement {
  const made = element(
    "div",
    { class: "tile", "data-message-id": message.message_id },
    ...renderVisual(message, true, open, words),
  );
  made.style.setProperty("--tile-ratio", String(Math.min(Math.max(ratio, 0.66), 1.9)));
  return made;
}

/** Each file has its own caption below it; that of the last one is the bubble's. */
function stack(
  messages: readonly TelegramMessage[],
  open: (index: number) => void,
  actions: TextActions,
): HTMLElement {
  const items = messages.map((message, index) => {
    const media = renderMedia(message, () => open(index), actions.words);
    const { caption, caption_entities: entities } = message;
    const isOwn = caption !== undefined && index < messages.length - 1;
    const words =
      isOwn && element("div", { class: "text", dir: "auto" }, richText(caption, entities, actions));
    return element("div", { class: "album-item", "data-message-id": message.message_id }, media, words);
  });
  return element("div", { class: "album-stack", "data-testid": "album" }, ...items);
}

/** A row that is too low costs more than one too high; a lone tile in a large album looks stray. */
function rowCost(height: number, tiles: number, total: number): number {
  const best = Math.min(Math.max(ALBUM_HEIGHT_BEST / Math.ceil(total / 3), 115), 200);
  const distance = Math.log(height / best);
  const stray = tiles === 1 && total > 3 ? 0.6 : 0;
  return distance * distance * (distance < 0 ? 1.6 : 1) + stray;
}

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
  readonly #avatar = new Slot("row-avatar");
  readonly #author = new Slot("author");
  readonly #quote = new Slot("quote-slot");
  readonly #media = new Slot("media");
  readonly #text = new Slot("text");
  readonly #meta = new Slot("meta-slot");
  readonly #bubble: HTMLElement;
  readonly #keyboard: InlineKeyboard;
  #messages: readonly TelegramMessage[] = [];

  constructor(
    private readonly actions: RowActions,
    private readonly isGroup: boolean,
  ) {
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
    const tool = makeButton(
      { class: "row-tool", "aria-label": actions.words.messageMenu, "aria-haspopup": "menu" },
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
    this.#keyboard.show(inlineKeyboardOf(first) ?? payKeyboardOf(first, this.actions.words), (data) =>
      this.actions.isTapWaiting(first.message_id, data),
    );
  }

  #showWho(message: TelegramMessage, isOwn: boolean, isFirst: boolean, isLast: boolean): void {
    const { from } = message;
    const isNamed = this.isGroup && !isOwn && from !== undefined;
    const hue = isNamed ? this.actions.hueOf(from.id) : 0;
    this.#avatar.element.dataset.hue = String(hue);
    this.#avatar.show(isNamed ? `${from.id} ${isLast}` : "", () =>
      isNamed && isLast ? [avatar(fullName(from), hue, from.is_bot ? "bot" : "person")] : [],
    );
    this.#author.element.dataset.hue = String(hue);
    this.#author.show(isNamed && isFirst ? fullName(from) : "", () =>
      isNamed
        ? [fullName(from), from.is_bot && element("span", { class: "bot-mark" }, this.actions.words.bot)]
        : [],
    );
  }

  #showQuote(message: TelegramMessage): void {
    const answered = message.reply_to_message;
    // In a topic, what answers nothing answers the topic's opening: no quote stands for that.
    const quoted = answered?.forum_topic_created === undefined ? answered : undefined;
    const name = quoted?.from ? fullName(quoted.from) : "";
    const line = quoted === undefined ? "" : (message.quote?.text ?? summary(quoted, this.actions.words));
    this.#quote.show(
      quoted === undefined ? "" : `${quoted.message_id} ${thumbnailId(quoted) ?? ""} ${name} ${line}`,
      () => {
        if (quoted === undefined) return [];
        const quote = makeButton(
          { class: "quote", onclick: () => this.actions.jumpTo(quoted.message_id) },
          ...thumbnail(quoted),
          element("span", { class: "quote-name" }, name),
          element("span", { class: "quote-text" }, line),
        );
        if (quoted.from) quote.dataset.hue = String(this.actions.hueOf(quoted.from.id));
        return [quote];
      },
    );
  }

  #showMedia(messages: readonly TelegramMessage[]): void {
    const [first] = messages;
    if (first === undefined) return;
    const signature = messages.map((message) => `${message.message_id}${mediaSignature(message)}`).join();
    const hasMedia = messages.some((message) => mediaSignature(message) !== "");
    const open = (index: number) => this.actions.openMedia(this.#messages, index);
    this.#media.show(hasMedia ? signature : "", () =>
      messages.length > 1
        ? [renderAlbum(messages, open, this.actions)]
        : [renderMedia(first, () => open(0), this.actions.words)],
    );
    const { classList } = this.#bubble;
    const isVisual = first.photo ?? first.video ?? first.animation;
    classList.toggle("has-visual", isVisual !== undefined);
    classList.toggle("has-file", hasMedia && isVisual === undefined);
    classList.toggle("is-bare", first.sticker !== undefined);
    classList.toggle("is-caption-first", first.show_caption_above_media === true);
  }

  #showText(message: TelegramMessage, worded: TelegramMessage | undefined, isOwn: boolean): void {
    const text = worded?.text ?? worded?.caption ?? "";
    const entities = worded?.entities ?? worded?.caption_entities;
    const { words } = this.actions;
    const isLarge = message.text !== undefined && entities === undefined && isEmojiOnly(text);
    this.#bubble.classList.toggle("is-emoji", isLarge);
    const stamp = `${message.date} ${message.edit_date ?? ""}`;
    this.#text.show(text === "" ? "" : JSON.stringify([text, entities ?? [], stamp]), () => [
      richText(text, entities, this.actions),
      metaOf(message, isOwn, words),
    ]);
    this.#meta.show(text === "" ? stamp : "", () => [metaOf(message, isOwn, words)]);
  }

  #tap(data: string): void {
    const [first] = this.#messages;
    if (first !== undefined) this.actions.tap(first, data);
  }

  #pay(): void {
    const [first] = this.#messages;
    if (first !== undefined) this.actions.pay(first);
  }

  #reply(target: EventTarget | null): void {
    const pointed = this.#pointed(target);
    if (pointed !== undefined) this.actions.reply(pointed);
  }

  #openMenu(x: number, y: number, target: EventTarget | null): void {
    const pointed = this.#pointed(target);
    if (pointed !== undefined) openContextMenu(this.actions.itemsFor(this.#messages, pointed), x, y);
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
