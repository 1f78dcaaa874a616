import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Updates } from "./updates.js";

export const TOKEN = "1000000001:bench_server_on_this_machine_only";
const BOT = { id: 1_000_000_001, is_bot: true, first_name: "Bench", username: "bench_bot" };
const PHOTO = [{ file_id: "photo", file_unique_id: "photo", width: 90, height: 90, file_size: 1000 }];

export interface InlineButton {
  text: string;
  callback_data: string;
}

/** A message with buttons that the bot has sent or edited. */
export interface Card {
  chatId: number;
  messageId: number;
  text: string;
  buttons: readonly (readonly InlineButton[])[];
}

export interface BotApiEvents {
  onCard?: (card: Card) => void;
  onPoll?: () => void;
  /** A photo has come completely. */
  onPhoto?: () => void;
  /** An answer to a pre-checkout query, by the id of the query. */
  onCheckout?: (queryId: string, isOk: boolean) => void;
}

type Payload = Record<string, unknown>;

/** The few methods of a Bot API server that the programs use, answered as fast as node:http can. */
export class BotApi {
  readonly updates = new Updates();
  events: BotApiEvents = {};
  readonly #server: Server;
  #nextMessageId = 1;

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#receive(request, response);
    });
  }

  static async listen(): Promise<BotApi> {
    const api = new BotApi();
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  newMessageId(): number {
    return this.#nextMessageId++;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const method = request.url?.slice(request.url.lastIndexOf("/") + 1) ?? "";
    const isJson = request.headers["content-type"]?.startsWith("application/json") ?? false;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => isJson && chunks.push(chunk));
    request.on("end", () => {
      const text = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
      this.#handle(method, (text ? JSON.parse(text) : {}) as Payload, response);
    });
  }

  #handle(method: string, payload: Payload, response: ServerResponse): void {
    switch (method) {
      case "getUpdates":
        this.#poll(payload, response);
        break;
      case "sendMessage":
        this.#show(payload, this.newMessageId(), response);
        break;
      case "editMessageText":
        this.#show(payload, Number(payload.message_id), response);
        break;
      case "sendPhoto":
        this.events.onPhoto?.();
        this.#answerMessage({ chat: { id: 1, type: "private" }, photo: PHOTO }, response);
        break;
      // A picture with transparency comes as a document.
      case "sendDocument":
        this.events.onPhoto?.();
        this.#answerMessage({ chat: { id: 1, type: "private" }, document: PHOTO[0] }, response);
        break;
      case "answerPreCheckoutQuery":
        this.events.onCheckout?.(String(payload.pre_checkout_query_id), payload.ok === true);
        answer(response, true);
        break;
      case "getStarTransactions":
        answer(response, { transactions: [] });
        break;
      case "getMe":
        answer(response, BOT);
        break;
      default:
        answer(response, true);
    }
  }

  #poll({ offset, limit, timeout }: Payload, response: ServerResponse): void {
    this.events.onPoll?.();
    this.updates.poll(Number(offset ?? 0), Number(limit ?? 100), Number(timeout ?? 0), (updates) =>
      answer(response, updates),
    );
  }

  #show(payload: Payload, messageId: number, response: ServerResponse): void {
    const { text = "", reply_markup: markup } = payload;
    const chatId = Number(payload.chat_id);
    const chat = { id: chatId, type: "private" };
    this.#answerMessage({ message_id: messageId, chat, text, reply_markup: markup }, response);
    const buttons = (markup as { inline_keyboard?: Card["buttons"] } | undefined)?.inline_keyboard;
    if (buttons) this.events.onCard?.({ chatId, messageId, text: String(text), buttons });
  }

  #answerMessage(content: Payload, response: ServerResponse): void {
    const date = Math.floor(Date.now() / 1000);
    answer(response, { message_id: this.#nextMessageId++, date, from: BOT, ...content });
  }
}

function answer(response: ServerResponse, result: unknown): void {
  const body = JSON.stringify({ ok: true, result });
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
