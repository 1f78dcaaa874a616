import type { IncomingMessage, ServerResponse } from "node:http";
import type { TelegramMessage } from "@gramio/types";
import type { Actions, GivenFile } from "./actions.js";
import type { Chat } from "./chat.js";
import { asPageMessage, ChatStreams } from "./chat-streams.js";
import { BotApiError, badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import { sendJson } from "./http-answer.js";
import { imageSize } from "./image-size.js";
import type { Json } from "./params.js";
import { Payments } from "./payments.js";
import type { PageChat, PagePerson, PageState, SentMessage } from "./protocol.js";
import { type RequestBody, readBody } from "./request-body.js";
import type { SandboxState } from "./state.js";
import { sendStoredFile } from "./stored-file-answer.js";
import type { Upload } from "./upload.js";
import type { Person } from "./world.js";

/** The endpoints of `protocol.ts`. */
export class ChatRoutes {
  readonly #streams: ChatStreams;

  constructor(
    private readonly state: SandboxState,
    private readonly actions: Actions,
    private readonly hasServices: boolean,
  ) {
    this.#streams = new ChatStreams(state);
    this.#payments = new Payments(state, actions);
  }

  close(): void {
    this.#streams.close();
  }

  /** @throws BotApiError for what the page asked wrongly */
  async answer(path: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const route = `${request.method} ${path}`;
    if (route === "GET /chat/state") return sendJson(response, 200, this.#pageState());
    if (route === "GET /chat/events") {
      return this.#streams.open(this.actions.person(Number(query.get("person"))), response);
    }
    if (path.startsWith("/chat/files/") && (request.method === "GET" || request.method === "HEAD")) {
      const id = path.slice("/chat/files/".length);
      return sendStoredFile(this.state.files.byId(id), request, response);
    }
    const act = this.#deeds[route];
    if (!act) return sendJson(response, 404, { error: "not found" });
    act(await readBody(request, new URLSearchParams()), response);
  }

  readonly #payments: Payments;

  readonly #deeds: Readonly<Record<string, (body: RequestBody, response: ServerResponse) => void>> = {
    "POST /chat/messages": (body, response) => {
      const { person, random_id: id } = body.values;
      const randomId = typeof id === "string" && id !== "" ? id : undefined;
      const message = this.state.sent.once(Number(person), randomId, () => this.#send(body));
      sendMessage(response, message);
    },
    "POST /chat/edits": ({ values }, response) => {
      const [person, chat, id] = placeOf(values);
      sendMessage(response, this.actions.editText(person, chat, id, textOf(values)));
    },
    "POST /chat/deletions": ({ values }, response) => {
      const ids = Array.isArray(values.message_ids) ? values.message_ids.map(Number) : [];
      this.actions.deleteMessages(integer(values, "person"), integer(values, "chat"), ids);
      response.writeHead(204).end();
    },
    "POST /chat/taps": ({ values }, response) => {
      this.actions.tap(...placeOf(values), String(values.data ?? ""));
      response.writeHead(202).end();
    },
    "POST /chat/blocks": ({ values }, response) => {
      this.actions.setBlocked(integer(values, "person"), values.is_blocked === true);
      response.writeHead(204).end();
    },
    "POST /chat/payments": ({ values }, response) => {
      void this.#payments.pay(...placeOf(values));
      response.writeHead(202).end();
    },
    "POST /chat/purses": ({ values }, response) => {
      this.#payments.fillPurse(integer(values, "person"), integer(values, "stars"));
      response.writeHead(204).end();
    },
    "POST /chat/shared-users": ({ values }, response) => {
      const ids = Array.isArray(values.user_ids) ? values.user_ids.map(Number) : [];
      const place = { chat: integer(values, "chat"), requestId: integer(values, "request_id") };
      sendMessage(response, this.actions.shareUsers(integer(values, "person"), place, ids));
    },
  };

  #send({ values, uploads }: RequestBody): TelegramMessage {
    const person = integer(values, "person");
    const place = {
      chat: integer(values, "chat"),
      replyTo: optionalInteger(values, "reply_to_message_id"),
      thread: optionalInteger(values, "message_thread_id"),
    };
    const text = textOf(values);
    if (uploads.size === 0) return this.actions.sendText(person, text, place);
    const files = [...uploads.values()].map((upload) => asGivenFile(upload, values));
    const [first] = this.actions.sendFiles(person, files, text, place);
    if (!first) throw badRequest("nothing to send");
    return first;
  }

  #pageState(): PageState {
    const { world } = this.state;
    return {
      bot: world.bot,
      people: [...world.people.values()].map(pagePerson),
      chats: [...world.chats.values()].map(pageChat),
      has_services: this.hasServices,
    };
  }
}

const KINDS: ReadonlySet<unknown> = new Set(["photo", "document", "voice", "sticker"]);

/** How a client sends a file: pictures as photos, clips as videos, music as audio, the rest as it is. */
function asGivenFile({ bytes, fileName, mimeType }: Upload, { as, emoji }: Json): GivenFile {
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  const kind = kindOf(bytes, mimeType, as);
  const meaning = typeof emoji === "string" ? emoji : undefined;
  return { bytes, fileName, mimeType, kind, emoji: kind === "sticker" ? meaning : undefined };
}

function sendMessage(response: ServerResponse, message: TelegramMessage): void {
  sendJson(response, 200, { message: asPageMessage({ message }) } satisfies SentMessage);
}

function textOf({ text }: Json): string {
  return typeof text === "string" ? text : "";
}

/** Who does something to which message: person, chat, message. */
function placeOf(values: Json): [number, number, number] {
  return [integer(values, "person"), integer(values, "chat"), integer(values, "message_id")];
}

function kindOf(bytes: Buffer, mimeType: string, as: unknown): FileKind {
  const isPicture = imageSize(bytes) !== undefined;
  if (KINDS.has(as) && (as !== "photo" || isPicture)) return as as FileKind;
  if (mimeType === "image/gif") return "animation";
  if (isPicture) return "photo";
  if (mimeType === "video/mp4") return "video";
  return mimeType.startsWith("audio/") ? "audio" : "document";
}

function optionalInteger(values: Json, name: string): number | undefined {
  const value = values[name];
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new BotApiError(400, `${name} must be an integer`);
  return number;
}

function integer(values: Json, name: string): number {
  const value = optionalInteger(values, name);
  if (value === undefined) throw new BotApiError(400, `${name} is missing`);
  return value;
}

function pagePerson({ user, isAdmin, hasBlockedBot, stars }: Person): PagePerson {
  return { ...user, is_admin: isAdmin, has_blocked_bot: hasBlockedBot, stars };
}

function pageChat(chat: Chat): PageChat {
  const messages = [...chat.entries.values()].map(asPageMessage);
  return { id: chat.id, type: chat.about.type, title: chat.title, members: [...chat.members], messages };
}
