import type { SendBody } from "../protocol.js";
import { postMessage, RequestFailed } from "./api.js";
import type { Chat, Draft, Outgoing } from "./chat.js";

const TEXT_LENGTH_MAX = 4096;
const ALBUM_FILES_MAX = 10;

let lastKey = 0;

/** Sends what one person writes in one chat, one message after another: quick messages keep their order. */
export class Outbox {
  readonly #person: number;
  readonly #chat: Chat;
  #queue: Promise<void> = Promise.resolve();

  constructor(person: number, chat: Chat) {
    this.#person = person;
    this.#chat = chat;
  }

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
    const failed = this.#chat.outgoing.find((one) => one.key === key && one.state === "failed");
    if (failed === undefined) return;
    const again: Outgoing = { ...failed, state: "sending", reason: "" };
    this.#change(key, again);
    this.#enqueue(again);
  }

  /** Forgets a message that failed. */
  discard(key: string): void {
    this.#change(key, undefined);
  }

  #add(draft: Draft): void {
    lastKey += 1;
    const outgoing: Outgoing = {
      ...draft,
      key: `outgoing-${lastKey}`,
      state: "sending",
      reason: "",
      date: Math.floor(Date.now() / 1000),
    };
    this.#chat.outgoing = [...this.#chat.outgoing, outgoing];
    this.#chat.changed();
    this.#enqueue(outgoing);
  }

  #enqueue(outgoing: Outgoing): void {
    this.#queue = this.#queue.then(() => this.#post(outgoing));
  }

  async #post(outgoing: Outgoing): Promise<void> {
    const body: SendBody = { person: this.#person, chat: this.#chat.id };
    if (outgoing.text !== "") body.text = outgoing.text;
    if (outgoing.reply !== undefined) body.reply_to_message_id = outgoing.reply.message_id;
    if (outgoing.as !== undefined) body.as = outgoing.as;
    try {
      const { message } = await postMessage(body, outgoing.files);
      this.#change(outgoing.key, undefined);
      this.#chat.put(message);
    } catch (error) {
      const reason = error instanceof RequestFailed ? error.message : "Not sent";
      this.#change(outgoing.key, { ...outgoing, state: "failed", reason });
    }
  }

  #change(key: string, next: Outgoing | undefined): void {
    this.#chat.outgoing = this.#chat.outgoing.flatMap((one) =>
      one.key !== key ? [one] : next === undefined ? [] : [next],
    );
    this.#chat.changed();
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
