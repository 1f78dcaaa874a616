import { randomInt } from "node:crypto";
import type { Chat } from "./chat.js";
import type { Clock } from "./clock.js";
import { badRequest } from "./errors.js";
import type { TapAnswer, World } from "./world.js";

/** How long the server waits for an answer to a tap; people report 10 to 20 s. */
export const ANSWER_TIMEOUT_MS = 15_000;

export interface Tap {
  /** The callback query's id. */
  id: string;
  person: number;
  chat: Chat;
  messageId: number;
  data: string;
}

interface OpenTap extends Tap {
  atMs: number;
  answer?: TapAnswer;
}

/** Taps that wait for answerCallbackQuery. */
export class Callbacks {
  readonly #taps = new Map<string, OpenTap>();

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
  ) {}

  open(tap: Omit<Tap, "id">): Tap {
    const opened = { ...tap, id: newQueryId(), atMs: this.clock.now() };
    this.#taps.set(opened.id, opened);
    return opened;
  }

  /** @throws BotApiError for an unknown id, one that waited too long, and one answered before */
  answer(id: string, answer: TapAnswer): void {
    const tap = this.#taps.get(id);
    const isOpen = tap && !tap.answer && this.clock.now() - tap.atMs <= ANSWER_TIMEOUT_MS;
    if (!isOpen) {
      throw badRequest("query is too old and response timeout expired or query ID is invalid");
    }
    tap.answer = answer;
    const { person, chat, messageId, data } = tap;
    this.world.emit({ type: "callback_answer", person, chat, messageId, data, answer });
  }

  /** What the bot answered to a tap, if it did. */
  answerTo(id: string): TapAnswer | undefined {
    return this.#taps.get(id)?.answer;
  }
}

function newQueryId(): string {
  return `${randomInt(1, 2 ** 40)}${randomInt(100_000, 999_999)}`;
}
