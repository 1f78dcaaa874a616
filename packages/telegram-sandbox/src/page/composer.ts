import type { TelegramMessage, TelegramUser } from "@gramio/types";
import type { SendBody } from "../protocol.js";
import { type Chat, type Draft, emptyDraft } from "./chat.js";
import { Completion } from "./completion.js";
import { element, makeButton } from "./dom.js";
import { isEditable } from "./editable.js";
import { byteSize, fullName } from "./format.js";
import { icon } from "./icons.js";
import { forceReplyFor, replyKeyboardFor } from "./markup.js";
import { summary, thumbnail } from "./quoted.js";
import { type KeyboardDeeds, ReplyKeyboard } from "./reply-keyboard.js";
import { type Words, wordsIn } from "./words/words.js";

type SendAs = NonNullable<SendBody["as"]>;

/** The files that the next message takes along, with previews and the way they are sent. */
class Attachments {
  readonly element = element("div", { class: "attachments", hidden: true, "data-testid": "attachments" });
  #files: readonly File[] = [];
  #as: SendAs = "photo";
  /** What the person chose; until then the way follows the files. */
  #chosen: SendAs | undefined;
  #urls: string[] = [];

  constructor(
    private readonly words: Words,
    private readonly changed: () => void,
  ) {}

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
    this.changed();
  }

  #render(ways: readonly SendAs[]): void {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    this.element.hidden = this.#files.length === 0;
    const items = this.#files.map((file) => this.#preview(file));
    const select = element("select", { "aria-label": this.words.howToSend, "data-testid": "send-as" });
    for (const way of ways) {
      select.append(element("option", { value: way, selected: way === this.#as }, this.words.sendAs[way]));
    }
    select.addEventListener("change", () => {
      this.#as = ways.find((way) => way === select.value) ?? this.#as;
      this.#chosen = this.#as;
      this.changed();
    });
    this.element.replaceChildren(element("div", { class: "attachment-list" }, ...items), select);
  }

  #preview(file: File): HTMLElement {
    const remove = makeButton(
      { class: "attachment-remove", "aria-label": this.words.remove(file.name) },
      icon("close"),
    );
    remove.addEventListener("click", () => {
      this.set(
        this.#files.filter((one) => one !== file),
        this.#chosen,
      );
      this.changed();
    });
    if (!file.type.startsWith("image/")) {
      const words = element(
        "span",
        { class: "attachment-name" },
        file.name,
        element("small", {}, byteSize(file.size, this.words)),
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

const SIDE_PX = 512;
const STICKERS = [
  "🎨",
  "🎬",
  "🎵",
  "🖼️",
  "✨",
  "🔥",
  "🚀",
  "🌈",
  "❤️",
  "👍",
  "😀",
  "😎",
  "🤔",
  "🥳",
  "🐱",
  "🎉",
];

/** A set of stickers over the composer: emoji, drawn at the size that Telegram's stickers have. */
class StickerPanel {
  readonly element: HTMLElement;

  constructor(
    private readonly toggle: HTMLButtonElement,
    words: Words,
    send: (file: File, emoji: string) => void,
  ) {
    const choices = STICKERS.map((emoji) => {
      const label = `${words.sticker} ${emoji}`;
      const choose = async () => {
        this.#show(false);
        send(await drawSticker(emoji), emoji);
      };
      const attributes = { class: "sticker-choice", "aria-label": label, onclick: choose };
      return makeButton(attributes, emoji);
    });
    this.element = element(
      "div",
      { class: "sticker-panel", hidden: true, role: "group", "aria-label": words.stickers },
      ...choices,
    );
    toggle.addEventListener("click", () => this.#show(this.element.hidden !== false));
    document.addEventListener("pointerdown", ({ target }) => {
      const isInside = target instanceof Node && (this.element.contains(target) || toggle.contains(target));
      if (!isInside) this.#show(false);
    });
    this.element.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.#show(false);
      toggle.focus();
    });
    this.#show(false);
  }

  #show(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.toggle.setAttribute("aria-pressed", String(isOpen));
  }
}

async function drawSticker(emoji: string): Promise<File> {
  const font = `420px "Atelier Emoji", sans-serif`;
  await document.fonts.load(font, emoji);
  const canvas = element("canvas", { width: SIDE_PX, height: SIDE_PX });
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser has no canvas");
  context.font = font;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const { actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = context.measureText(emoji);
  context.fillText(emoji, SIDE_PX / 2, (SIDE_PX + above - below) / 2);
  const type = "image/webp";
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type));
  if (blob === null) throw new Error("The browser cannot draw a sticker");
  return new File([blob], "sticker.webp", { type });
}

/** A small button beside the text that is being written. */
function toolButton(name: "attach" | "slash" | "keyboard" | "sticker", label: string): HTMLButtonElement {
  return makeButton({ class: "tool", "aria-label": label, title: label }, icon(name));
}

/** The button that sends. */
function sendButton(label: string): HTMLButtonElement {
  const attributes = { type: "submit", class: "send", "aria-label": label, title: label };
  return element("button", { ...attributes, "data-testid": "send" }, icon("send"));
}

/** Says over the composer which message is answered or changed. */
class ReplyBar {
  readonly element = element("div", { class: "reply-bar", hidden: true, "data-testid": "reply-bar" });

  constructor(
    private readonly words: Words,
    private readonly cancel: () => void,
  ) {}

  show(reply: TelegramMessage | undefined, edited: TelegramMessage | undefined): void {
    const message = edited ?? reply;
    this.element.hidden = message === undefined;
    if (message === undefined) return;
    const words = this.words;
    const name = message.from ? fullName(message.from) : "";
    const lines = element(
      "div",
      { class: "reply-words" },
      element("span", { class: "quote-name" }, edited ? words.editMessage : words.replyTo(name)),
      element("span", { class: "quote-text" }, summary(message, words)),
    );
    const label = edited ? words.cancelEdit : words.cancelReply;
    const cancel = makeButton({ class: "tool", "aria-label": label, onclick: this.cancel }, icon("close"));
    this.element.replaceChildren(icon(edited ? "edit" : "reply"), ...thumbnail(message), lines, cancel);
  }
}

const CAPTION_LENGTH_MAX = 1024;

export interface ComposerDeeds extends Pick<KeyboardDeeds, "choosePeople"> {
  send(draft: Draft): void;
}

/** Takes what a person writes, which stays with its chat when another one is opened. */
export class Composer {
  readonly element: HTMLFormElement;
  readonly #sendDraft: (draft: Draft) => void;
  readonly #textarea: HTMLTextAreaElement;
  readonly #completion: Completion;
  readonly #attachments: Attachments;
  readonly #replyBar: ReplyBar;
  readonly #keyboard: ReplyKeyboard;
  readonly #send: HTMLButtonElement;
  readonly #commandsButton: HTMLButtonElement;
  readonly #counter = element("span", { class: "counter", hidden: true, role: "status" });
  readonly #words: Words;

  constructor(
    private readonly person: TelegramUser,
    private readonly bot: TelegramUser,
    private chat: Chat,
    deeds: ComposerDeeds,
  ) {
    this.#sendDraft = deeds.send;
    const words = wordsIn(person.language_code);
    this.#words = words;
    this.#attachments = new Attachments(words, () => this.#edited());
    this.#replyBar = new ReplyBar(words, () => this.#cancel());
    this.#commandsButton = toolButton("slash", words.commands);
    this.#send = sendButton(words.send);
    this.#textarea = element("textarea", {
      rows: 1,
      "aria-label": words.messageOf(fullName(person)),
      autocomplete: "off",
      enterkeyhint: "send",
    });
    this.#completion = new Completion(this.#textarea, ({ command }, how) => {
      this.insert(`${this.#withBotName(`/${command}`)} `);
      if (how === "send") this.#submit();
    });
    const keyboardButton = toolButton("keyboard", words.botKeyboard);
    this.#keyboard = new ReplyKeyboard(keyboardButton, words.botKeyboard, {
      send: (text, messageId) => {
        // In a group the text is a reply to its keyboard: only so does a bot in privacy mode see it.
        const isReply = this.chat.type !== "private";
        const replied = this.chat.messages.find((one) => one.message_id === messageId);
        this.sendText(text, isReply ? replied : undefined);
      },
      choosePeople: deeds.choosePeople,
    });
    const picker = element("input", { type: "file", multiple: true, hidden: true, "data-testid": "files" });
    picker.addEventListener("change", () => {
      this.#attachments.add(picker.files ?? []);
      picker.value = "";
      this.#textarea.focus();
    });
    const attach = toolButton("attach", words.attach);
    attach.addEventListener("click", () => picker.click());
    this.#commandsButton.addEventListener("click", () => this.#toggleCommands());
    const stickersButton = toolButton("sticker", words.stickers);
    const stickers = new StickerPanel(stickersButton, words, (file, emoji) =>
      this.#sendDraft({ ...emptyDraft(), files: [file], as: "sticker", emoji, reply: this.#takeReply() }),
    );
    const line = element(
      "div",
      { class: "composer-line" },
      attach,
      picker,
      this.#textarea,
      this.#counter,
      this.#commandsButton,
      stickersButton,
      keyboardButton,
      this.#send,
    );
    this.element = element(
      "form",
      { class: "composer", "data-testid": "composer" },
      this.#completion.element,
      stickers.element,
      this.#replyBar.element,
      this.#attachments.element,
      line,
      this.#keyboard.element,
    );
    this.#listen();
    this.open(chat);
  }

  /** Shows the draft of another chat. */
  open(chat: Chat): void {
    this.chat = chat;
    this.#attachments.set(chat.draft.files, chat.draft.as);
    this.#textarea.value = chat.draft.text;
    this.#completion.close();
    this.render();
    this.#edited();
  }

  /** Follows the chat: its keyboard, its forced reply, its commands. */
  render(): void {
    const { shown: messages, draft } = this.chat;
    this.#keyboard.show(replyKeyboardFor(this.person, messages));
    this.#commandsButton.hidden = this.chat.commands.length === 0;
    const forced = forceReplyFor(this.person, messages);
    const isDismissed = forced?.message.message_id === this.chat.dismissedReply;
    const isWanted = forced !== undefined && !isDismissed && draft.edited === undefined;
    if (draft.edited !== undefined && !messages.some((one) => one.message_id === draft.edited?.message_id)) {
      this.#endEdit();
    }
    if (draft.reply !== undefined && !messages.some((one) => one.message_id === draft.reply?.message_id)) {
      draft.reply = undefined;
    }
    if (isWanted && (draft.reply === undefined || isForced(draft.reply))) draft.reply = forced.message;
    this.#textarea.placeholder = (isWanted ? forced.placeholder : undefined) ?? this.#words.message;
    this.#replyBar.show(draft.reply, draft.edited);
  }

  replyTo(message: TelegramMessage): void {
    this.chat.draft.reply = message;
    this.render();
    this.#textarea.focus();
  }

  /** Takes the words of an own message to be changed. */
  edit(message: TelegramMessage): void {
    this.#attachments.set([], undefined);
    this.chat.draft.edited = message;
    this.chat.draft.reply = undefined;
    this.insert(message.text ?? message.caption ?? "");
    this.render();
  }

  attach(files: Iterable<File>): void {
    if (this.chat.draft.edited !== undefined) this.#endEdit();
    this.#attachments.add(files);
    this.#textarea.focus();
  }

  insert(text: string): void {
    this.#textarea.value = text;
    this.#edited();
    this.#textarea.focus();
  }

  /** Sends a text beside the draft: what is being written stays as it is. */
  sendText(text: string, reply?: TelegramMessage): void {
    this.#sendDraft({ ...emptyDraft(), text, reply });
  }

  /** Sends a command that stands in a message, with the bot's name in a group. */
  sendCommand(text: string): void {
    this.sendText(this.#withBotName(text));
  }

  #listen(): void {
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#textarea.addEventListener("input", () => this.#edited());
    this.#textarea.addEventListener("blur", () => this.#completion.close());
    this.#textarea.addEventListener("keydown", (event) => {
      // While an input method composes, Enter belongs to it.
      if (event.isComposing) return;
      if (this.#completion.handleKey(event.key)) event.preventDefault();
      else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.#submit();
      } else if (event.key === "Escape") this.#cancel();
      else if (event.key === "ArrowUp" && this.#textarea.value === "") this.#editLast(event);
    });
    this.#textarea.addEventListener("paste", (event) => {
      const files = event.clipboardData?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      this.#attachments.add(files);
    });
  }

  #submit(): void {
    const { draft } = this.chat;
    if (!isSendable(draft)) return;
    const { files, as, edited, text: typed } = draft;
    if (edited !== undefined) {
      this.#endEdit();
      this.#sendDraft({ ...emptyDraft(), text: typed, edited });
      return;
    }
    const text = this.#withBotName(typed);
    const reply = this.#takeReply();
    this.#attachments.set([], undefined);
    this.insert("");
    this.#sendDraft({ text, files, as, reply });
  }

  /** Adds the bot's name to a command in a group, as Telegram's apps do: a bot in privacy mode is sure to see it. */
  #withBotName(text: string): string {
    const command = /^\/([a-z0-9_]+)(?=\s|$)/iu.exec(text)?.[1]?.toLowerCase();
    const isOffered = this.chat.commands.some((one) => one.command === command);
    if (this.chat.type === "private" || !isOffered || command === undefined) return text;
    const end = command.length + 1;
    return `${text.slice(0, end)}@${this.bot.username ?? ""}${text.slice(end)}`;
  }

  #takeReply(): TelegramMessage | undefined {
    const { reply } = this.chat.draft;
    this.#dropReply();
    return reply;
  }

  /** Drops a forced reply, which must not come back before the sent message is there. */
  #dropReply(): void {
    const forced = forceReplyFor(this.person, this.chat.shown);
    if (forced !== undefined) this.chat.dismissedReply = forced.message.message_id;
    this.chat.draft.reply = undefined;
    this.render();
  }

  #cancel(): void {
    if (this.chat.draft.edited !== undefined) this.#endEdit();
    else if (this.chat.draft.reply !== undefined) this.#dropReply();
  }

  #endEdit(): void {
    this.chat.draft.edited = undefined;
    this.insert("");
    this.render();
  }

  /** The arrow up in an empty field takes the last own message, as in Telegram's apps. */
  #editLast(event: Event): void {
    const last = this.chat.shown.findLast((message) => isEditable(message, this.person.id));
    if (last === undefined) return;
    event.preventDefault();
    this.edit(last);
  }

  #toggleCommands(): void {
    this.#textarea.focus();
    if (this.#completion.isOpen) this.#completion.close();
    else if (this.#textarea.value === "") this.insert("/");
    else this.#completion.show("/", this.chat.commands);
  }

  #edited(): void {
    const { draft, commands } = this.chat;
    draft.text = this.#textarea.value;
    draft.files = this.#attachments.files;
    draft.as = this.#attachments.as;
    if (document.activeElement === this.#textarea) this.#completion.show(draft.text, commands);
    this.#send.disabled = !isSendable(draft);
    const left = CAPTION_LENGTH_MAX - [...draft.text].length;
    this.#counter.hidden = draft.files.length === 0 || left > 100;
    this.#counter.textContent = String(left);
    this.#counter.classList.toggle("is-over", left < 0);
    this.#grow();
  }

  /** style.css lets the height follow the text; an older browser is told it with every edit. */
  #grow(): void {
    if (CSS.supports("field-sizing", "content")) return;
    this.#textarea.style.setProperty("height", "auto");
    if (this.#textarea.scrollHeight === 0) return;
    this.#textarea.style.setProperty("height", `${this.#textarea.scrollHeight}px`);
  }
}

/** True for a message that asks for an answer by itself: a newer one takes its place. */
function isForced({ reply_markup }: TelegramMessage): boolean {
  return reply_markup !== undefined && "force_reply" in reply_markup;
}

/** Words or files; a changed caption may be empty. */
function isSendable({ text, files, edited }: Draft): boolean {
  return text.trim() !== "" || files.length > 0 || (edited !== undefined && edited.text === undefined);
}
