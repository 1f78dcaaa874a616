import type { TelegramMessage } from "@gramio/types";
import type { Actions, Place } from "./actions.js";
import type { Tap } from "./callbacks.js";
import type { FileKind } from "./file-kind.js";
import { Payments } from "./payments.js";
import type { CheckoutOutcome } from "./stars.js";
import type { SandboxState } from "./state.js";
import type { MessageMatch, Waiting } from "./waiting.js";
import type { TapAnswer } from "./world.js";

/** Place where a person acts: the private chat with the bot unless said otherwise. */
export interface PersonPlace {
  chat?: number;
  replyTo?: number;
  thread?: number;
}

export interface FilePlace extends PersonPlace {
  caption?: string;
  fileName?: string;
  mimeType?: string;
}

/** A tap that was made; `answered` waits for the bot's answer to it. */
export interface PersonTap {
  id: string;
  data: string;
  answered(): Promise<TapAnswer>;
}

/** A person of the sandbox, for tests to act as. Everything returns at once; the bot reacts later. */
export class SandboxPerson {
  readonly #payments: Payments;
  #lastTap: Tap | undefined;

  constructor(
    readonly id: number,
    private readonly state: SandboxState,
    private readonly actions: Actions,
    private readonly waiting: Waiting,
  ) {
    this.#payments = new Payments(state, actions);
  }

  /** Sends a text; commands and mentions are found in it. */
  sendText(text: string, place: PersonPlace = {}): TelegramMessage {
    return this.actions.sendText(this.id, text, this.#place(place));
  }

  sendPhoto(bytes: Buffer, place: FilePlace = {}): TelegramMessage {
    return this.#sendFile("photo", bytes, { fileName: "photo.jpg", mimeType: "image/jpeg", ...place });
  }

  sendDocument(bytes: Buffer, place: FilePlace = {}): TelegramMessage {
    return this.#sendFile("document", bytes, { fileName: "document.bin", ...place });
  }

  sendVideo(bytes: Buffer, place: FilePlace = {}): TelegramMessage {
    return this.#sendFile("video", bytes, { fileName: "video.mp4", mimeType: "video/mp4", ...place });
  }

  /** Sends several photos as one album. */
  sendAlbum(photos: readonly Buffer[], place: FilePlace = {}): TelegramMessage[] {
    const files = photos.map((bytes) => ({
      kind: "photo" as const,
      bytes,
      fileName: "photo.jpg",
      mimeType: "",
    }));
    return this.actions.sendFiles(this.id, files, place.caption ?? "", this.#place(place));
  }

  /** Edits a message of this person. */
  editText(messageId: number, text: string, chat = this.id): TelegramMessage {
    return this.actions.editText(this.id, chat, messageId, text);
  }

  /**
   * Taps the button with this label or callback data.
   * @throws Error naming the buttons there are
   */
  tap(message: TelegramMessage | number, button: string, chat = this.id): PersonTap {
    const place = typeof message === "number" ? chat : message.chat.id;
    const id = typeof message === "number" ? message : message.message_id;
    const current = this.actions.chat(place, this.id).message(id);
    const rows =
      current?.reply_markup && "inline_keyboard" in current.reply_markup
        ? current.reply_markup.inline_keyboard
        : [];
    const buttons = rows.flat();
    const found =
      buttons.find(({ text, callback_data }) => text === button || callback_data === button) ??
      buttons.find(({ text }) => text.includes(button));
    if (found?.callback_data !== undefined) return this.tapData(id, found.callback_data, place);
    const labels = buttons.map(({ text }) => JSON.stringify(text)).join(", ");
    throw new Error(
      `message ${id} has no button ${JSON.stringify(button)} to tap, only: ${labels || "none"}`,
    );
  }

  /** Taps with data that need not stand on the message, as an old or forged client does. */
  tapData(message: TelegramMessage | number, data: string, chat = this.id): PersonTap {
    const place = typeof message === "number" ? chat : message.chat.id;
    const id = typeof message === "number" ? message : message.message_id;
    const tap = this.actions.tap(this.id, place, id, data);
    this.#lastTap = tap;
    return {
      id: tap.id,
      data,
      answered: () => {
        const explain = () =>
          `tap ${JSON.stringify(data)} was not answered\n${this.waiting.transcript(tap.chat)}`;
        return this.waiting.until(() => this.state.callbacks.answerTo(tap.id), explain);
      },
    };
  }

  /** Sends the last tap again under a new update id and the same query id. */
  resendLastTap(): void {
    if (!this.#lastTap) throw new Error("this person has not tapped anything yet");
    this.actions.resendTap(this.#lastTap);
  }

  /** Pays the invoice of a message. Resolves with what became of it, at the latest after 10 s of the clock. */
  pay(message: TelegramMessage | number, chat = this.id): Promise<CheckoutOutcome> {
    const place = typeof message === "number" ? chat : message.chat.id;
    const id = typeof message === "number" ? message : message.message_id;
    return this.#payments.pay(this.id, place, id);
  }

  fillPurse(stars: number): void {
    this.#payments.fillPurse(this.id, stars);
  }

  blockBot(): void {
    this.actions.setBlocked(this.id, true);
  }

  unblockBot(): void {
    this.actions.setBlocked(this.id, false);
  }

  /** Deletes the account: the bot gets `user is deactivated` from now on. */
  deactivate(): void {
    this.actions.person(this.id).isDeactivated = true;
  }

  /** All messages of a chat from the oldest to the newest. */
  messages(chat = this.id): TelegramMessage[] {
    return this.actions.chat(chat, this.id).messages();
  }

  /**
   * Resolves with the newest message of the bot in a chat of this person whose text or caption holds the string or
   * fits the pattern, or for which the function is true: at once if it is there, else when it comes.
   * @param options `after`: the message id above which messages count
   * @throws Error after 30 s of real time, with the chat's transcript
   */
  waitForMessage(
    match: MessageMatch,
    { chat = this.id, after = 0 }: { chat?: number; after?: number } = {},
  ): Promise<TelegramMessage> {
    return this.waiting.forMessage(this.actions.chat(chat, this.id), match, after);
  }

  #sendFile(kind: FileKind, bytes: Buffer, place: FilePlace): TelegramMessage {
    const { fileName = "file", mimeType = "" } = place;
    const files = [{ kind, bytes, fileName, mimeType }];
    const [message] = this.actions.sendFiles(this.id, files, place.caption ?? "", this.#place(place));
    if (!message) throw new Error("nothing was sent");
    return message;
  }

  #place({ chat, replyTo, thread }: PersonPlace): Place {
    return { chat: chat ?? this.id, replyTo, thread };
  }
}
