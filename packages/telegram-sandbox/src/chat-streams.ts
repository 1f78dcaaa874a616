import type { ServerResponse } from "node:http";
import type { Chat, Entry } from "./chat.js";
import type { CancelTimer } from "./clock.js";
import { systemClock } from "./clock.js";
import { profileOf } from "./methods/commands.js";
import { present } from "./params.js";
import type { PageEvent, PageMessage } from "./protocol.js";
import type { SandboxState } from "./state.js";
import type { Person, WorldEvent } from "./world.js";

const HEARTBEAT_MS = 15_000;

/** A message for the page: keyboards of every kind stand in `reply_markup`. */
export function asPageMessage({ message, shown, isPaid }: Entry): PageMessage {
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
export class ChatStreams {
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
