import { randomInt } from "node:crypto";
import type { TelegramUpdate } from "@gramio/types";
import type { CancelTimer, Clock } from "./clock.js";
import { conflict } from "./errors.js";
import type { KeptState } from "./kept-state.js";
import { isRecord } from "./params.js";

export type UpdateKind = Exclude<keyof TelegramUpdate, "update_id">;

/** Kinds that a bot gets only when it asks for them by name. */
const ON_REQUEST_ONLY: ReadonlySet<string> = new Set([
  "chat_member",
  "message_reaction",
  "message_reaction_count",
]);

const POLL_OTHER = "terminated by other getUpdates request; make sure that only one bot instance is running";

/** How long an update waits to be fetched, in seconds; a day unless it is listed. */
const LIFETIMES_SEC: Readonly<Partial<Record<UpdateKind, number>>> = {
  callback_query: 150,
  pre_checkout_query: 150,
  shipping_query: 150,
  inline_query: 30,
};
const LIFETIME_SEC = 24 * 3600;

/** An offset that is further than this beyond the next id is ignored. */
const OFFSET_AHEAD_MAX = 10;

interface QueuedUpdate {
  update: TelegramUpdate;
  expiresAtMs: number;
}

interface Poll {
  limit: number;
  answer(updates: TelegramUpdate[]): void;
  refuse(error: Error): void;
  cancelTimer: CancelTimer;
}

export interface PollRequest {
  offset: number;
  /** 1 to 100. */
  limit: number;
  timeoutSec: number;
}

/**
 * The queue of updates with long polling as the real server has it: an offset confirms everything
 * before it, what is not confirmed comes again or expires, and a second poller ends the first one
 * with a 409.
 */
export class UpdateQueue {
  #queue: QueuedUpdate[] = [];
  #poll: Poll | undefined;
  #allowed: ReadonlySet<string> | undefined;
  #nextId = randomUpdateId();
  #isWakeUpScheduled = false;
  readonly #pollListeners = new Set<() => void>();
  readonly #changeListeners = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  get pendingCount(): number {
    return this.#waiting().length;
  }

  /** Calls `listener` whenever a poll begins to wait, until the returned function is called. */
  onPoll(listener: () => void): () => void {
    this.#pollListeners.add(listener);
    return () => this.#pollListeners.delete(listener);
  }

  /** Calls `listener` whenever an update comes or is confirmed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  kept(): KeptState["updates"] {
    return { nextId: this.#nextId, allowed: [...this.allowedKinds], queue: this.#queue };
  }

  restore({ nextId, allowed, queue }: KeptState["updates"]): void {
    this.#nextId = nextId;
    this.allow(allowed);
    this.#queue = queue;
  }

  /** True while a getUpdates waits for something to come. */
  get hasPoller(): boolean {
    return this.#poll !== undefined;
  }

  /** Kinds of updates to queue from now on; undefined or empty is the default. */
  allow(kinds: readonly string[] | undefined): void {
    this.#allowed = kinds && kinds.length > 0 ? new Set(kinds) : undefined;
  }

  get allowedKinds(): readonly string[] {
    return [...(this.#allowed ?? [])];
  }

  /** Queues an update and returns it; undefined for a kind the bot did not ask for, and for one that is too old. */
  push(kind: UpdateKind, payload: unknown): TelegramUpdate | undefined {
    const isAllowed = this.#allowed ? this.#allowed.has(kind) : !ON_REQUEST_ONLY.has(kind);
    if (!isAllowed) return undefined;
    const expiresAtMs = this.#expiryOf(kind, payload);
    if (expiresAtMs <= this.clock.now()) return undefined;
    const update = { update_id: this.#nextId++, [kind]: structuredClone(payload) } as TelegramUpdate;
    this.#queue.push({ update, expiresAtMs });
    this.#tellChange();
    this.#wake();
    return update;
  }

  /** Waits for updates. A waiting older call is refused with the 409 of a second poller. */
  poll({ offset, limit, timeoutSec }: PollRequest, signal: AbortSignal): Promise<TelegramUpdate[]> {
    this.#poll?.refuse(conflict(POLL_OTHER));
    this.#confirm(offset);
    const waiting = this.#waiting();
    if (waiting.length > 0 || timeoutSec === 0) return Promise.resolve(waiting.slice(0, limit));
    return new Promise((resolve, reject) => {
      const end = () => {
        poll.cancelTimer();
        if (this.#poll === poll) this.#poll = undefined;
      };
      const answer = (updates: TelegramUpdate[]) => {
        end();
        resolve(updates);
      };
      const refuse = (error: Error) => {
        end();
        reject(error);
      };
      const cancelTimer = this.clock.after(timeoutSec * 1000, () => answer([]));
      const poll: Poll = { limit, answer, refuse, cancelTimer };
      this.#poll = poll;
      for (const listener of [...this.#pollListeners]) listener();
      signal.addEventListener("abort", () => answer([]), { once: true });
    });
  }

  /** Ends a waiting poll, if there is one. */
  endPoll(): void {
    this.#poll?.answer([]);
  }

  /** An offset far beyond the next id is invalid: it confirms nothing, and everything comes again. */
  #confirm(offset: number): void {
    if (offset < 0) this.#queue = this.#queue.slice(offset);
    if (offset <= 0 || offset > this.#nextId + OFFSET_AHEAD_MAX) return;
    const before = this.#queue.length;
    this.#queue = this.#queue.filter(({ update }) => update.update_id >= offset);
    if (this.#queue.length < before) this.#tellChange();
  }

  #tellChange(): void {
    for (const listener of [...this.#changeListeners]) listener();
  }

  /** What was neither confirmed nor has expired, from the oldest. */
  #waiting(): TelegramUpdate[] {
    const now = this.clock.now();
    this.#queue = this.#queue.filter(({ expiresAtMs }) => expiresAtMs > now);
    return this.#queue.map(({ update }) => update);
  }

  /** The lifetime of a message and of the like begins at its date, of anything else now. */
  #expiryOf(kind: UpdateKind, payload: unknown): number {
    const lifetimeMs = (LIFETIMES_SEC[kind] ?? LIFETIME_SEC) * 1000;
    const date = isRecord(payload) ? (payload.edit_date ?? payload.date) : undefined;
    return (typeof date === "number" ? date * 1000 : this.clock.now()) + lifetimeMs;
  }

  /** Answers in the next turn of the loop, so that updates made together come together. */
  #wake(): void {
    if (this.#isWakeUpScheduled) return;
    this.#isWakeUpScheduled = true;
    setImmediate(() => {
      this.#isWakeUpScheduled = false;
      const waiting = this.#waiting();
      if (waiting.length > 0) this.#poll?.answer(waiting.slice(0, this.#poll.limit));
    });
  }
}

function randomUpdateId(): number {
  return randomInt(100_000_000, 900_000_000);
}
