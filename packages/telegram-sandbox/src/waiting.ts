import type { TelegramMessage } from "@gramio/types";
import type { CallLog, LoggedCall } from "./call-log.js";
import type { Chat } from "./chat.js";
import type { UpdateQueue } from "./updates.js";
import type { World } from "./world.js";

export type MessageMatch = string | RegExp | ((message: TelegramMessage) => boolean);

const TIMEOUT_MS = 30_000;
const TRANSCRIPT_LINES_MAX = 20;
const CALLS_SHOWN_MAX = 10;

/** True when a text or caption holds the string, fits the pattern, or the function says so. */
export function matchesMessage(match: MessageMatch, message: TelegramMessage): boolean {
  if (typeof match === "function") return match(message);
  const text = message.text ?? message.caption ?? "";
  return typeof match === "string" ? text.includes(match) : match.test(text);
}

/** Waits without sleeping: on what happens in the chats, and on calls of the bot. */
export class Waiting {
  readonly #pending = new Set<(reason: Error) => void>();

  constructor(
    private readonly world: World,
    private readonly calls: CallLog,
    private readonly updates: UpdateQueue,
  ) {}

  /** Resolves with the newest matching message, once there is one; edits count too. */
  forMessage(chat: Chat, match: MessageMatch, after: number): Promise<TelegramMessage> {
    const isWanted = (message: TelegramMessage) =>
      message.from?.id === this.world.bot.id && message.message_id > after && matchesMessage(match, message);
    return this.until(
      () => chat.messages().findLast(isWanted),
      () => `no message ${show(match)} in chat ${chat.id}\n${this.transcript(chat)}`,
    );
  }

  /** Resolves once a value is found; looked for now and after everything that happens. */
  until<T>(find: () => T | undefined, explain: () => string): Promise<T> {
    return this.#wait(find, explain, (look) => {
      const ends = [this.world.on(look), this.calls.onEnd(look), this.updates.onPoll(look)];
      return () => {
        for (const end of ends) end();
      };
    });
  }

  /** Resolves with the first call that ended and matches. */
  forCall(method: string, matches: (call: LoggedCall) => boolean): Promise<LoggedCall> {
    const fits = (call: LoggedCall) =>
      call.method === method && call.endedAtMs !== undefined && matches(call);
    return this.until(
      () => this.calls.list.find(fits),
      () => `no call of ${method}\n${this.#latestCalls()}`,
    );
  }

  /** Rejects everything that still waits. */
  close(): void {
    for (const reject of [...this.#pending]) reject(new Error("the sandbox was closed while a test waited"));
  }

  /** The last lines of a chat, for people to read. */
  transcript(chat: Chat): string {
    const lines = chat.messages().slice(-TRANSCRIPT_LINES_MAX).map(describe);
    return [`--- chat ${chat.id} (${chat.title})`, ...lines, "---", this.#latestCalls()].join("\n");
  }

  #latestCalls(): string {
    const calls = this.calls.list.filter(({ method }) => method !== "getUpdates").slice(-CALLS_SHOWN_MAX);
    return ["latest calls:", ...calls.map((call) => `  ${call.method} → ${outcomeOf(call)}`)].join("\n");
  }

  #wait<T>(
    find: () => T | undefined,
    explain: () => string,
    subscribe: (look: () => void) => () => void,
  ): Promise<T> {
    const found = find();
    if (found !== undefined) return Promise.resolve(found);
    // The stack of the test that waits says more than the stack of a timer.
    const failure = new Error();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        unsubscribe();
        this.#pending.delete(fail);
      };
      const fail = (reason: Error) => {
        end();
        reject(reason);
      };
      const unsubscribe = subscribe(() => {
        const value = find();
        if (value === undefined) return;
        end();
        resolve(value);
      });
      const timer = setTimeout(() => {
        failure.message = `waited ${TIMEOUT_MS} ms: ${explain()}`;
        fail(failure);
      }, TIMEOUT_MS);
      this.#pending.add(fail);
    });
  }
}

function show(match: MessageMatch): string {
  return typeof match === "string" ? JSON.stringify(match) : String(match).slice(0, 200);
}

function outcomeOf(call: LoggedCall): string {
  if (call.endedAtMs === undefined) return "still running";
  return call.error === undefined ? "ok" : `${call.status ?? ""} ${call.error}`;
}

function describe(message: TelegramMessage): string {
  const media = ["photo", "document", "video", "audio", "voice", "sticker", "animation"].find(
    (kind) => kind in message,
  );
  const text = JSON.stringify(message.text ?? message.caption ?? "");
  const rows =
    message.reply_markup && "inline_keyboard" in message.reply_markup
      ? message.reply_markup.inline_keyboard
      : [];
  const buttons = rows.map((row) => row.map((button) => `[${button.text}]`).join(" "));
  const edited = message.edit_date === undefined ? "" : " (edited)";
  const head = `${message.message_id} ${message.from?.first_name ?? "?"}${edited}:${media ? ` <${media}>` : ""} ${text}`;
  return [head, ...buttons.map((row) => `      ${row}`)].join("\n");
}
