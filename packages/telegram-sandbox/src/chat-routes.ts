import type { IncomingMessage, ServerResponse } from "node:http";
import type { TelegramMessage } from "@gramio/types";
import type { Actions, GivenFile } from "./actions.js";
import type { Chat, Entry } from "./chat.js";
import { type CancelTimer, systemClock } from "./clock.js";
import { BotApiError, badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import type { StoredFile } from "./files.js";
import { sendJson } from "./http-answer.js";
import { imageSize } from "./image-size.js";
import { profileOf } from "./methods/commands.js";
import { type Json, present } from "./params.js";
import { Payments } from "./payments.js";
import type { PageChat, PageEvent, PageMessage, PagePerson, PageState, SentMessage } from "./protocol.js";
import { type RequestBody, readBody } from "./request-body.js";
import type { SandboxState } from "./state.js";
import type { Upload } from "./upload.js";
import type { Person, WorldEvent } from "./world.js";

const HEARTBEAT_MS = 15_000;

/** A message for the page: keyboards of every kind stand in `reply_markup`. */
function asPageMessage({ message, shown, isPaid }: Entry): PageMessage {
  const state = isPaid ? { is_paid: true as const } : {};
  return shown
    ? ({ ...message, ...state, reply_markup: shown } as unknown as PageMessage)
    : { ...message, ...state };
}

interface Stream {
  person: Person;
  response: ServerResponse;
}

/** The event streams of the page, one a person and window. */
class ChatStreams {
  readonly #streams = new Set<Stream>();
  readonly #stopListening: () => void;
  #cancelHeartbeat: CancelTimer;

  constructor(private readonly state: SandboxState) {
    this.#stopListening = state.world.on((event) => this.#tell(event));
    this.#cancelHeartbeat = this.#beat();
  }

  /** Opens a stream that begins with the commands of each chat. */
  open(person: Person, response: ServerResponse): void {
    const stream = { person, response };
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    response.writeHead(200, headers).write("retry: 1000\n\n");
    this.#streams.add(stream);
    response.on("close", () => this.#streams.delete(stream));
    this.#tellCommands(stream);
  }

  close(): void {
    this.#stopListening();
    this.#cancelHeartbeat();
    for (const { response } of this.#streams) response.end();
  }

  #beat(): CancelTimer {
    return systemClock.after(HEARTBEAT_MS, () => {
      for (const { response } of this.#streams) response.write(": \n\n");
      this.#cancelHeartbeat = this.#beat();
    });
  }

  #tell(event: WorldEvent): void {
    if (this.#streams.size === 0) return;
    if (event.type === "commands") {
      for (const stream of this.#streams) this.#tellCommands(stream);
      return;
    }
    const told = pageEvent(event);
    for (const stream of this.#streams) if (concerns(event, stream.person.user.id)) write(stream, told);
  }

  #tellCommands(stream: Stream): void {
    const { id, language_code } = stream.person.user;
    for (const chat of this.state.world.chats.values()) {
      if (!chat.members.has(id)) continue;
      const commands = this.state.commands.offeredTo(id, language_code, chat);
      const description = chat.isPrivate ? profileOf(language_code, "description", this.state) : "";
      write(stream, { type: "commands", chat: chat.id, commands, description });
    }
  }
}

function write({ response }: Stream, event: PageEvent): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}

type ToldEvent = Exclude<WorldEvent, { type: "commands" }>;

function concerns(event: ToldEvent, person: number): boolean {
  return "person" in event ? event.person === person : event.chat.members.has(person);
}

function pageEvent(event: ToldEvent): PageEvent {
  if (event.type === "purse") return { type: "purse", stars: event.stars };
  const chat: Chat["id"] = event.chat.id;
  switch (event.type) {
    case "message":
    case "edited":
      return { type: event.type, chat, message: asPageMessage(event.entry) };
    case "deleted":
      return { type: "deleted", chat, message_ids: event.messageIds };
    case "action":
      return { type: "action", chat, action: event.action };
    case "payment": {
      const { messageId: message_id, outcome } = event;
      const text = outcome.type === "refused" ? outcome.text : undefined;
      const told = { type: "payment" as const, chat, message_id, outcome: outcome.type, text };
      return present<Extract<PageEvent, { type: "payment" }>>(told);
    }
    case "callback_answer": {
      const { messageId: message_id, data, answer } = event;
      const { text, show_alert, url } = answer;
      const type = "callback_answer" as const;
      return present<Extract<PageEvent, { type: "callback_answer" }>>({
        type,
        chat,
        message_id,
        data,
        text,
        show_alert,
        url,
      });
    }
  }
}

/** Types that a browser may show by itself; anything else is only offered for download. */
const SHOWN = /^(image\/(png|jpeg|webp|gif)|video\/(mp4|webm)|audio\/[\w.+-]+)$/;

/** Sends the bytes of a file, or the range of them that was asked for (players seek so). */
function sendStoredFile(
  file: StoredFile | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!file || file.bytes.length === 0) {
    sendJson(response, 404, { error: "no such file" });
    return;
  }
  const isShown = SHOWN.test(file.mimeType);
  const headers = {
    "content-type": isShown ? file.mimeType : "application/octet-stream",
    "content-disposition": isShown
      ? "inline"
      : `attachment; filename*=UTF-8''${encodeURIComponent(file.fileName)}`,
    "cache-control": "private, max-age=3600",
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  };
  const range = readRange(request.headers.range, file.size);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const length = { "content-length": end - start + 1 };
  const partial = range ? { "content-range": `bytes ${start}-${end}/${file.size}` } : {};
  response.writeHead(range ? 206 : 200, { ...headers, ...length, ...partial });
  response.end(request.method === "HEAD" ? undefined : file.bytes.subarray(start, end + 1));
}

function readRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start > end ? "unsatisfiable" : { start, end };
}

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
