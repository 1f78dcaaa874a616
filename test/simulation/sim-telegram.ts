import { basename } from "node:path";
import { Readable } from "node:stream";
import { Api, GrammyError, InputFile } from "grammy";
import type { InlineKeyboardMarkup, Update, User } from "grammy/types";
import type { TelegramLine } from "../../src/bot/bot-ground.js";
import { TelegramDownloadError } from "../../src/bot/telegram/files.js";
import { type Clock, sleep } from "../../src/platform/clock.js";
import type { FailPoint } from "../../src/platform/fail-point.js";
import { brokenConnection, refusal } from "../support/bot-world.js";
import { BOT, TOKEN } from "../support/fake-telegram.js";
import { markedWebp } from "../support/picture.js";
import { Book, kopecksIn } from "./book.js";
import type { Planted } from "./planted.js";
import type { Random } from "./random.js";
import { SimStars } from "./sim-stars.js";

/** What the Bot API answers to a call. */
type Answer = Awaited<ReturnType<Parameters<Parameters<Api["config"]["use"]>[0]>[0]>>;

/** A message of the bot, as its chat shows it. */
export interface SimMessage {
  id: number;
  chatId: number;
  text: string;
  buttons: readonly SimButton[];
  /** Addresses behind its buttons. */
  urls: readonly string[];
  /** The content of its files. */
  files: readonly string[];
  /** Sent as a document, which is asked for. */
  isDocument: boolean;
  /** The topic of the group. */
  threadId: number | undefined;
}

export interface SimButton {
  label: string;
  data: string;
  isPaying: boolean;
}

interface Payload {
  chat_id?: number;
  from_chat_id?: number;
  message_thread_id?: number;
  text?: string;
  message_id?: number;
  offset?: number;
  file_id?: string;
  timeout?: number;
  callback_query_id?: string;
  reply_markup?: InlineKeyboardMarkup;
  media?: { media: unknown }[];
  payload?: string;
  title?: string;
  prices?: { amount: number }[];
  pre_checkout_query_id?: string;
  ok?: boolean;
  user_id?: number;
  telegram_payment_charge_id?: string;
  limit?: number;
}

interface LineOptions {
  failPoint: FailPoint;
  whileAlive: <T>(call: () => Promise<T>) => Promise<T>;
}

/** An upload's name is quoted. */
const EXAMPLES: ReadonlySet<string> = new Set(['"image.jpg"', '"video.jpg"', '"music.jpg"']);
/** Begins what stands for the content of an example's picture. */
export const EXAMPLE = "example ";
const FIRST_MOMENT = Date.UTC(2026, 0, 1);
const FILE_FIELDS = ["photo", "video", "audio", "document"] as const;

/** Telegram: keeps chats and updates while the bot is away, and loses or delays calls. */
export class SimTelegram {
  readonly messages = new Map<number, SimMessage>();
  /** Ids of taps, and of those that were answered. */
  readonly taps = new Set<string>();
  readonly answered = new Set<string>();
  /** Messages that were copied: to whom, and from which one. */
  readonly copies: { chatId: number; source: number; from: number; threadId: number | undefined }[] = [];
  readonly stars: SimStars;
  readonly book = new Book();
  /** Topics of groups that are there, by their ids. */
  readonly topics = new Set<number>();
  /** Photos that the bot could not download. */
  readonly undownloaded = new Set<string>();
  /** Chats that Telegram slows down, until when by the monotonic clock. */
  readonly floodedUntil = new Map<number, number>();
  /** Share of calls that go wrong. */
  faultShare = 0;
  /** How often the bot's data was lost. */
  #losses = 0;
  /** People who block the bot, by their ids. */
  readonly #blockedBy = new Map<number, User>();
  readonly #contents = new Map<string, string>();
  #updates: Update[] = [];
  #nextUpdateId = 1;
  #nextMessageId = 1;
  #wake = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly planted: Planted,
  ) {
    this.stars = new SimStars(
      clock,
      random.fork(),
      (update) => this.arrive(update),
      () => this.date,
    );
  }

  get unconfirmed(): number {
    return this.#updates.length;
  }

  /** Seconds since the epoch, by a clock that nobody sets. */
  get date(): number {
    return Math.floor((FIRST_MOMENT + this.clock.monotonic()) / 1000);
  }

  nextMessageId(): number {
    return this.#nextMessageId++;
  }

  arrive(update: Omit<Update, "update_id">): void {
    const { callback_query: tap } = update;
    if (tap) this.taps.add(tap.id);
    if (tap && this.planted.isTapForged) this.#forge(tap);
    this.#updates.push({ ...update, update_id: this.#nextUpdateId++ });
    this.#wake();
  }

  /** Somebody sends a message to the bot, in their private chat unless it says another one. */
  write(userId: number, content: object): void {
    const message = {
      message_id: this.nextMessageId(),
      date: this.date,
      from: userOf(userId),
      chat: chatOf(userId),
      ...content,
    };
    this.arrive({ message } as never);
  }

  /** Somebody blocks the bot, or lets it write again. */
  block(user: User, isBlocked: boolean): void {
    if (isBlocked) this.#blockedBy.set(user.id, user);
    else this.#blockedBy.delete(user.id);
    const memberIf = (isOut: boolean) => ({ user: BOT, status: isOut ? "kicked" : "member" });
    const chat = { id: user.id, type: "private", first_name: user.first_name };
    const [old_chat_member, new_chat_member] = [memberIf(!isBlocked), memberIf(isBlocked)];
    this.arrive({ my_chat_member: { chat, from: user, date: 1, old_chat_member, new_chat_member } } as never);
  }

  /** What the bot had taken and not answered is lost. */
  forgetTaken(): void {
    this.#losses += 1;
    const waiting = new Set(this.#updates.map(({ callback_query: tap }) => tap?.id));
    for (const tap of this.taps) if (!waiting.has(tap)) this.answered.add(tap);
  }

  isBlockedBy(userId: number): boolean {
    return this.#blockedBy.has(userId);
  }

  /** Loses no call from now on, and nobody blocks the bot. */
  calmDown(): void {
    this.faultShare = 0;
    this.stars.calmDown();
    this.floodedUntil.clear();
    for (const user of [...this.#blockedBy.values()]) this.block(user, false);
  }

  /** The way of one process to it. */
  lineOf({ failPoint, whileAlive }: LineOptions): TelegramLine {
    const open = () => {
      const api = new Api(TOKEN);
      api.config.use(
        (_call, method, payload, signal) =>
          whileAlive(() =>
            this.#call(method, payload as Payload, failPoint, signal as AbortSignal | undefined),
          ) as never,
      );
      return api;
    };
    const refuse = () => Promise.reject(new Error("no network"));
    const download = ({ path }: { path: string }) =>
      whileAlive(async () => {
        await sleep(this.clock, this.random.integer(1, 300));
        if (this.random.chance(this.faultShare)) {
          this.undownloaded.add(basename(path));
          throw new TelegramDownloadError("unreachable");
        }
        this.undownloaded.delete(basename(path));
        return Readable.from([markedWebp(path)]);
      });
    const connections = { fetch: refuse, download, close: async () => {} };
    return { api: open(), plainApi: open(), connections };
  }

  async #call(
    method: string,
    payload: Payload,
    failPoint: FailPoint,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    if (method === "getUpdates") return this.#getUpdates(payload, signal);
    const isFaulty = this.random.chance(this.faultShare);
    if (isFaulty && method === "getFile") this.undownloaded.add(`${payload.file_id}.webp`);
    failPoint(`send:before:${method}`);
    if (method === this.planted.dropped) {
      this.planted.onTaken?.();
      return { ok: true, result: this.#shown(payload) } as Answer;
    }
    if (this.isBlockedBy(payload.chat_id ?? 0)) return blocked();
    if (payload.callback_query_id !== undefined) this.answered.add(payload.callback_query_id);
    if (this.clock.monotonic() < (this.floodedUntil.get(payload.chat_id ?? 0) ?? 0)) return flood();
    if (isFaulty && this.random.chance(0.3)) throw brokenConnection();
    if (isFaulty && this.random.chance(0.3)) return flood();
    const losses = this.#losses;
    await sleep(this.clock, this.random.integer(1, 120));
    const result = await this.#starsOf(method, payload, losses === this.#losses);
    if (method === "refundStarPayment") await sleep(this.clock, this.stars.refundPauseMs());
    if (result instanceof GrammyError) return refusedBy(result);
    failPoint(`send:after:${method}`);
    if (isFaulty) throw brokenConnection();
    return { ok: true, result } as Answer;
  }

  async #getUpdates({ offset = 0, timeout = 0 }: Payload, signal: AbortSignal | undefined): Promise<Answer> {
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset);
    if (this.#updates.length === 0 && timeout > 0) {
      const waiting = new AbortController();
      this.#wake = () => waiting.abort();
      await sleep(this.clock, timeout * 1000, waiting.signal, signal);
    }
    if (signal?.aborted || this.random.chance(this.faultShare)) throw brokenConnection();
    return { ok: true, result: this.#updates.slice(0, 100) } as never;
  }

  /** Answers the calls that have to do with Stars, and the rest. @param isKnown false for one of data that was lost since */
  async #starsOf(method: string, payload: Payload, isKnown: boolean): Promise<unknown> {
    try {
      if (method === "getStarTransactions") return this.stars.transactions(payload.offset, payload.limit);
      const {
        user_id = 0,
        telegram_payment_charge_id: charge = "",
        pre_checkout_query_id: checkout,
      } = payload;
      if (this.#isTopicGone(payload)) throw refusal(400, "Bad Request: message thread not found");
      if (method === "refundStarPayment") this.stars.refund(user_id, charge, isKnown);
      if (checkout !== undefined) this.stars.answer(checkout, payload.ok === true);
    } catch (error) {
      if (error instanceof GrammyError) return error;
      throw error;
    }
    if (method === "sendInvoice") {
      const [price] = payload.prices ?? [];
      const invoice = { payload: payload.payload ?? "", amount: price?.amount ?? 0 };
      const promised = kopecksIn(payload.title ?? "");
      this.stars.addInvoice({ chatId: Number(payload.chat_id), ...invoice, promised });
    }
    return this.#resultOf(method, payload);
  }

  async #resultOf(method: string, payload: Payload): Promise<unknown> {
    if (method === "getMe") return BOT;
    if (method.endsWith("ForumTopic")) return this.#changeTopic(method, payload);
    if (method === "getFile")
      return { file_id: payload.file_id, file_path: `photos/${payload.file_id}.webp` };
    if (method === "sendMediaGroup") {
      const files = await Promise.all((payload.media ?? []).map(({ media }) => this.#contentOf(media)));
      const sent = files.map((file) => this.#send(payload, [file]));
      const isOfResults = sent.length > 1 && !files[0]?.startsWith(EXAMPLE);
      if (!this.planted.isAlbumCut || !isOfResults) return sent;
      this.planted.onTaken?.();
      this.messages.delete((sent.at(-1) as { message_id: number }).message_id);
      return sent;
    }
    if (method === "copyMessage") return this.#copy(payload);
    if (method.startsWith("send") && method !== "sendChatAction") return this.#sendOne(payload);
    const edited = this.messages.get(payload.message_id ?? 0);
    if (method.startsWith("delete") && edited) this.messages.delete(edited.id);
    if (!method.startsWith("edit")) return true;
    if (edited) this.messages.set(edited.id, { ...edited, buttons: buttonsOf(payload) });
    const chat = { id: payload.chat_id, type: typeOf(payload.chat_id ?? 0) };
    return { message_id: payload.message_id, date: 1, chat };
  }

  #copy(payload: Payload): object {
    const { from_chat_id: from = 0, message_id: source = 0, message_thread_id: threadId } = payload;
    this.copies.push({ chatId: Number(payload.chat_id), source, from, threadId });
    return this.#send(payload, []);
  }

  async #sendOne(payload: Payload): Promise<unknown> {
    for (const field of FILE_FIELDS) {
      const file = (payload as Record<string, unknown>)[field];
      if (file !== undefined) return this.#send(payload, [await this.#contentOf(file)], field);
    }
    return this.#send(payload, []);
  }

  #send(payload: Payload, files: readonly string[], field = "photo"): object {
    const message = this.#shown(payload);
    const { message_id: id } = message;
    const chatId = Number(payload.chat_id) + (this.planted.isMisdelivered && files.length > 0 ? 1 : 0);
    const { text = "" } = payload;
    const links = linksOf(payload);
    for (const link of links) this.book.shown(chatId, link);
    const urls = links.map(({ url }) => url);
    const sent = {
      id,
      chatId,
      text,
      buttons: buttonsOf(payload),
      urls,
      files,
      isDocument: field === "document",
      threadId: payload.message_thread_id,
    };
    this.messages.set(id, sent);
    const [content] = files;
    if (content === undefined) return message;
    if (this.planted.isMisdelivered || this.planted.isSentTwice) this.planted.onTaken?.();
    if (this.planted.isSentTwice) {
      const twin = this.nextMessageId();
      this.messages.set(twin, { ...sent, id: twin });
    }
    const file = { file_id: `file-${id}`, file_unique_id: `file-${id}` };
    this.#contents.set(file.file_id, content);
    return { ...message, [field]: field === "photo" ? [file] : file };
  }

  #shown({ chat_id, message_thread_id: threadId }: Payload) {
    const id = Number(chat_id);
    const topic = threadId === undefined ? {} : { message_thread_id: threadId, is_topic_message: true };
    return { message_id: this.nextMessageId(), date: 1, chat: { id, type: typeOf(id) }, ...topic };
  }

  /** Lets the owner of a group's card do what another person did. */
  #forge(tap: NonNullable<Update["callback_query"]>): void {
    const owner = Number(
      /^👤 P(\d+)/u.exec(this.messages.get(tap.message?.message_id ?? 0)?.text ?? "")?.[1],
    );
    if (!owner || owner === tap.from.id) return;
    this.planted.onTaken?.();
    tap.from = { ...tap.from, id: owner, first_name: `P${owner}` };
  }

  #isTopicGone({ message_thread_id: threadId }: Payload): boolean {
    return threadId !== undefined && !this.topics.has(threadId);
  }

  #changeTopic(method: string, { message_thread_id: threadId }: Payload): unknown {
    if (method === "deleteForumTopic") return this.topics.delete(threadId ?? 0);
    if (method !== "createForumTopic") return true;
    const made = this.nextMessageId();
    this.topics.add(made);
    return { message_thread_id: made, name: "topic", icon_color: 0 };
  }

  /** A file is uploaded, or named by the id of an earlier one. */
  async #contentOf(file: unknown): Promise<string> {
    if (typeof file === "string") return this.#contents.get(file) ?? file;
    if (!(file instanceof InputFile)) throw new Error("no file");
    // The greeting's pictures are on the real disk, whose calls end in no order.
    if (EXAMPLES.has(file.filename ?? "")) return `${EXAMPLE}${file.filename}`;
    const raw = await file.toRaw();
    const chunks: Uint8Array[] = [];
    if (raw instanceof Uint8Array) chunks.push(raw);
    else for await (const chunk of raw as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }
}

export function userOf(id: number): User {
  return { id, is_bot: false, first_name: `P${id}`, language_code: "en" };
}

/** The private chat of somebody. */
export function chatOf(id: number) {
  return { id, type: "private", first_name: `P${id}` } as const;
}

function typeOf(chatId: number): "private" | "supergroup" {
  return chatId < 0 ? "supergroup" : "private";
}

function linksOf({ reply_markup: markup }: Payload): { text: string; url: string }[] {
  return (markup?.inline_keyboard ?? [])
    .flat()
    .flatMap((button) => ("url" in button ? [{ text: button.text, url: button.url ?? "" }] : []));
}

function buttonsOf({ reply_markup: markup }: Payload): SimButton[] {
  return (markup?.inline_keyboard ?? []).flat().flatMap((button) => {
    if (!("callback_data" in button)) return [];
    const isPaying = "style" in button && button.style === "success";
    return [{ label: button.text, data: button.callback_data ?? "", isPaying }];
  });
}

function refusedBy({ error_code, description }: GrammyError): Answer {
  return { ok: false, error_code, description } as Answer;
}

function blocked(): Answer {
  const description = "Forbidden: bot was blocked by the user";
  return { ok: false, error_code: 403, description } as Answer;
}

function flood(): Answer {
  const description = "Too Many Requests: retry after 2";
  return { ok: false, error_code: 429, description, parameters: { retry_after: 2 } } as Answer;
}
