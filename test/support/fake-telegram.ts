import { text } from "node:stream/consumers";
import { Api, GrammyError, HttpError, InputFile } from "grammy";
import type { InlineKeyboardMarkup, UserFromGetMe } from "grammy/types";

export const TOKEN = "1:token";

export const BOT = {
  id: 1,
  is_bot: true,
  first_name: "Atelier",
  username: "atelier_bot",
  can_join_groups: true,
  can_read_all_group_messages: true,
} as UserFromGetMe;

/** A call of the bot, as the transformers saw it. */
export interface ApiCall {
  method: string;
  payload: Record<string, unknown>;
}

const FORMS: Readonly<Record<string, string>> = {
  sendPhoto: "photo",
  sendVideo: "video",
  sendAudio: "audio",
  sendDocument: "document",
};

/** Telegram for unit tests: records the calls of an `Api` and answers them, without a network. */
export class FakeTelegram {
  readonly api = new Api(TOKEN);
  readonly calls: ApiCall[] = [];
  /** Of the last message or update. */
  lastId = 1000;
  /** Reads what is uploaded, as a server does. */
  readsUploads = false;
  /** Names and contents of the uploads that were read. */
  readonly uploads: { name: string; content: string }[] = [];
  readonly #faults = new Map<string, Error[]>();
  readonly #refusals = new Map<string, (payload: object) => Error | undefined>();
  readonly #answers = new Map<string, unknown>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #sentFiles = new Map<string, number>();

  constructor() {
    this.api.config.use(async (_call, method, payload) => {
      this.calls.push({ method, payload: payload as Record<string, unknown> });
      const id = this.nextId();
      await this.#held.get(method);
      const fault = this.#faults.get(method)?.shift() ?? this.#refusals.get(method)?.(payload);
      if (fault instanceof GrammyError) return answerOf(fault);
      if (fault) throw fault;
      if (this.readsUploads) await this.#read(payload as Record<string, unknown>);
      const result = this.#answers.get(method) ?? this.#resultOf(method, payload as Payload, id);
      return { ok: true, result } as never;
    });
  }

  async #read({ media, photo, video, audio, document }: Record<string, unknown>): Promise<void> {
    const items = Array.isArray(media) ? (media as { media: unknown }[]).map((item) => item.media) : [];
    for (const file of [...items, photo, video, audio, document]) {
      if (!(file instanceof InputFile)) continue;
      const content = await text((await file.toRaw()) as AsyncIterable<Uint8Array>).catch((error: Error) => {
        throw new HttpError("not read", error);
      });
      this.uploads.push({ name: (file.filename ?? "").replaceAll('"', ""), content });
    }
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** The next calls of a method end with these errors: a GrammyError as Telegram's refusal, others as thrown. */
  failNext(method: string, ...errors: readonly Error[]): void {
    this.#faults.set(method, [...(this.#faults.get(method) ?? []), ...errors]);
  }

  /** All calls of a method whose payload matches end with this error. */
  refuse(method: string, error: Error, matches: (payload: Record<string, unknown>) => boolean): void {
    const fault = (payload: object) => (matches(payload as Record<string, unknown>) ? error : undefined);
    this.#refusals.set(method, fault);
  }

  /** All calls of a method get this result. */
  answer(method: string, result: unknown): void {
    this.#answers.set(method, result);
  }

  /** No fault is left. */
  recover(): void {
    this.#faults.clear();
  }

  /** Keeps the calls of a method waiting until the returned function is called. */
  hold(method: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(method, promise);
    return () => {
      this.#held.delete(method);
      resolve();
    };
  }

  callsOf(method: string): ApiCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  payloadsOf(method: string): Record<string, unknown>[] {
    return this.callsOf(method).map(({ payload }) => payload);
  }

  /** The texts that were sent or edited into messages, in order. */
  said(): unknown[] {
    return this.calls
      .filter(({ method }) => /^(?:send|edit)Message/.test(method))
      .map(({ payload }) => payload.text);
  }

  /** The texts that were sent to a chat. */
  toldTo(chatId: number): string[] {
    return this.payloadsOf("sendMessage").flatMap(({ chat_id, text }) =>
      chat_id === chatId ? String(text) : [],
    );
  }

  /** The callback data of the last keyboard, by the button's label. */
  buttons(): ReadonlyMap<string, string> {
    const keyboards = this.calls.flatMap(({ payload }) => {
      const markup = payload.reply_markup as Partial<InlineKeyboardMarkup> | undefined;
      return markup?.inline_keyboard ? [markup.inline_keyboard.flat()] : [];
    });
    const last = keyboards.at(-1) ?? [];
    return new Map(
      last.map((button) => [button.text, "callback_data" in button ? (button.callback_data ?? "") : ""]),
    );
  }

  #resultOf(method: string, payload: Payload, id: number): unknown {
    const chat = { id: payload.chat_id, type: Number(payload.chat_id) < 0 ? "supergroup" : "private" };
    const message = { message_id: id, date: 1, chat };
    const form = FORMS[method];
    if (method === "getMe") return BOT;
    if (method === "getFile") return { file_id: "f", file_unique_id: "u", file_path: "photos/1.png" };
    if (method === "sendMediaGroup")
      return payload.media?.map(({ type }) => ({
        ...message,
        ...this.#fileOf(type),
        message_id: this.nextId(),
      }));
    if (form !== undefined) return { ...message, ...this.#fileOf(form) };
    if (method.startsWith("edit")) return { ...message, message_id: payload.message_id };
    return method === "sendMessage" ? message : true;
  }

  /** File ids count each form from 1. */
  #fileOf(form: string): object {
    const count = (this.#sentFiles.get(form) ?? 0) + 1;
    this.#sentFiles.set(form, count);
    const file = { file_id: `${form}-${count}` };
    return { [form]: form === "photo" ? [file] : file };
  }
}

interface Payload {
  chat_id?: number | string;
  message_id?: number;
  media?: { type: string }[];
}

function answerOf({ error_code, description, parameters }: GrammyError) {
  return { ok: false as const, error_code, description, parameters };
}
