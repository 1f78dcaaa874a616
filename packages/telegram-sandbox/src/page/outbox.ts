import type { SendBody } from "../protocol.js";
import { ConnectionLost, postMessage, RequestFailed } from "./api.js";
import type { Chat, Draft, Outgoing } from "./chat.js";
import type { Words } from "./words/words.js";

const TEXT_LENGTH_MAX = 4096;
const ALBUM_FILES_MAX = 10;
/** How often a lost connection is tried while nothing says that it is back. */
const RETRY_MS = 2_000;

/**
 * Sends what one person writes in one chat, one message after another, so that quick messages keep their order. While
 * there is no connection they wait. Each has an id of its own, so that one whose answer was lost is not sent twice.
 */
export class Outbox {
  /** What is to be sent, the next one first; what the chat shows of it may be settled by an event before. */
  #queue: Outgoing[] = [];
  #isSending = false;
  #endPause: (() => void) | undefined;

  constructor(
    private readonly person: number,
    private readonly chat: Chat,
    private readonly words: Words,
  ) {}

  /** Shows a draft as being sent, and sends it. A long text and many files go as several messages, as in Telegram's apps. */
  send(draft: Draft): void {
    const text = draft.text.trim();
    if (draft.files.length === 0) {
      for (const part of splitText(text)) this.#add({ ...draft, text: part });
      return;
    }
    for (let from = 0; from < draft.files.length; from += ALBUM_FILES_MAX) {
      const files = draft.files.slice(from, from + ALBUM_FILES_MAX);
      this.#add({ ...draft, text: from === 0 ? text : "", files });
    }
  }

  /** Sends a failed message once more. */
  retry(key: string): void {
    const failed = this.chat.outgoing.find((one) => one.key === key && one.state === "failed");
    if (failed === undefined) return;
    const again: Outgoing = { ...failed, state: "sending", reason: "" };
    this.#change(key, again);
    this.#enqueue(again);
  }

  /** Forgets a message that failed or waits. */
  discard(key: string): void {
    this.#queue = this.#queue.filter((one) => one.key !== key);
    this.#change(key, undefined);
  }

  /** The connection is back: what waits is sent at once. */
  wake(): void {
    this.#endPause?.();
  }

  #add(draft: Draft): void {
    const key = crypto.randomUUID();
    const date = Math.floor(Date.now() / 1000);
    const state = this.#endPause === undefined ? "sending" : "waiting";
    const outgoing: Outgoing = { ...draft, key, topic: this.chat.topic, state, reason: "", date };
    this.chat.outgoing = [...this.chat.outgoing, outgoing];
    this.chat.changed();
    this.#enqueue(outgoing);
  }

  #enqueue(outgoing: Outgoing): void {
    this.#queue.push(outgoing);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const isDone = await this.#post(next);
      if (isDone) this.#queue = this.#queue.filter((one) => one !== next);
      else await this.#pause();
    }
    this.#isSending = false;
  }

  /** Waits until somebody says that the connection is back, or until it is time to try. */
  async #pause(): Promise<void> {
    this.#showState("waiting");
    await new Promise<void>((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, RETRY_MS);
    });
    this.#endPause = undefined;
  }

  /** Returns false where no answer came. */
  async #post(outgoing: Outgoing): Promise<boolean> {
    try {
      const { message } = await postMessage(this.#bodyOf(outgoing), outgoing.files);
      this.#showState("sending");
      // The message settles its own bubble first: settled later, it would take another one of the same words.
      this.chat.put(message);
      this.#change(outgoing.key, undefined);
    } catch (error) {
      if (error instanceof ConnectionLost) return false;
      const reason = error instanceof RequestFailed ? error.message : this.words.notSent;
      this.#change(outgoing.key, { ...outgoing, state: "failed", reason });
    }
    return true;
  }

  #bodyOf({ key, text, reply, topic, as, emoji }: Outgoing): SendBody {
    const body: SendBody = { person: this.person, chat: this.chat.id, random_id: key };
    if (text !== "") body.text = text;
    if (reply !== undefined) body.reply_to_message_id = reply.message_id;
    if (topic !== undefined) body.message_thread_id = topic;
    if (as !== undefined) body.as = as;
    if (emoji !== undefined) body.emoji = emoji;
    return body;
  }

  #showState(state: "sending" | "waiting"): void {
    this.chat.outgoing = this.chat.outgoing.map((one) =>
      one.state === "failed" || !this.#queue.some(({ key }) => key === one.key) ? one : { ...one, state },
    );
    this.chat.changed();
  }

  #change(key: string, next: Outgoing | undefined): void {
    this.chat.outgoing = this.chat.outgoing.flatMap((one) =>
      one.key !== key ? [one] : next === undefined ? [] : [next],
    );
    this.chat.changed();
  }
}

/** Cuts at a line break or a space where one is near the limit, never inside a pair of surrogates. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > TEXT_LENGTH_MAX) {
    const head = rest.slice(0, TEXT_LENGTH_MAX);
    const gap = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" "));
    const isSplitPair = /[\uD800-\uDBFF]$/u.test(head);
    const end = gap > TEXT_LENGTH_MAX / 2 ? gap : TEXT_LENGTH_MAX - (isSplitPair ? 1 : 0);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  if (rest !== "") parts.push(rest);
  return parts;
}
