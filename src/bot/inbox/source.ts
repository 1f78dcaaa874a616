import type { UpdateSupplier } from "@grammyjs/runner";
import { type Api, GrammyError } from "grammy";
import type { Update } from "grammy/types";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs } from "../../platform/retry.js";
import type { Inbox } from "./inbox.js";

/** Every kind of update that a handler exists for. */
const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;
const LONG_POLL_SEC = 30;
/**
 * As many as Telegram gives at once, also where the runner asks for fewer: behind a full load it would ask for the
 * one place that has just become free, and each poll costs a call and a commit.
 */
const BATCH = 100;
const BACK_OFF = { firstMs: 200, maxMs: 15_000 };

/** The runner's own type of the platform's AbortSignal. */
type RunnerSignal = Parameters<UpdateSupplier<Update>["supply"]>[1];

interface SourceParts {
  api: Api;
  inbox: Inbox;
  clock: Clock;
  logger: Logger;
  /** Told when polling begins to work or to fail. */
  onPolling: (isPolling: boolean) => void;
}

/**
 * Supplies the runner: first what an earlier run left unfinished, then what Telegram sends, and between them the
 * suspects of the earlier run, each as soon as all before it have ended, while the same poll goes on: there may be
 * hundreds of them. An offset is confirmed only by the poll after its batch has been committed, and every fault is
 * waited out.
 */
export class InboxSource implements UpdateSupplier<Update> {
  readonly #parts: SourceParts;
  readonly #stopping = new AbortController();
  #offset = 0;
  /** Ids that are still to be supplied; undefined until the earlier run is known. */
  #suspects: number[] | undefined;
  /** Ids of the earlier run that were supplied and may be under way. */
  #begun: number[] = [];
  /** One wait for their end, however many polls pass meanwhile. */
  #begunEnded: Promise<void> | undefined;
  /** The poll whose outcome nobody has taken yet: a suspect may be supplied while it goes on, and after its end. */
  #poll: Promise<Update[]> | undefined;
  /** False until a poll was answered, and from a fault on. */
  #isPolling = false;
  /** Faults since a poll that waited was answered: one that waits for nothing shows no other poller. */
  #faults = 0;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** Resolves with updates that are to be begun now, perhaps none. Rejects only once the signal has aborted. */
  async supply(_batchSize: number, signal: RunnerSignal): Promise<Update[]> {
    // Each supply has a signal of its own, and a poll may outlast it.
    signal.addEventListener("abort", () => this.#stopping.abort());
    for (;;) {
      try {
        return await this.#next();
      } catch (error) {
        if (signal.aborted) throw error;
        await this.#waitOut(error, signal as unknown as AbortSignal);
      }
    }
  }

  async #next(): Promise<Update[]> {
    if (!this.#suspects) {
      const unfinished = await this.#recover();
      if (unfinished.length > 0) return unfinished;
    }
    const suspect = await this.#takeUp();
    return suspect ? [suspect] : this.#whatArrives();
  }

  async #recover(): Promise<Update[]> {
    const { inbox, logger } = this.#parts;
    const { updates, suspects, dropped } = await inbox.recover();
    this.#suspects = suspects;
    this.#begin(updates.map(({ update_id }) => update_id));
    for (const update_id of dropped) logger.error({ update_id }, "update dropped: it was begun too often");
    if (updates.length + suspects.length > 0)
      logger.info(
        { updates: updates.length, suspects: suspects.length },
        "unfinished updates taken up again",
      );
    return updates;
  }

  /** The next suspect, unless one before it is still under way. */
  async #takeUp(): Promise<Update | undefined> {
    const next = this.#suspects?.[0];
    if (next === undefined || this.#isBegunUnderWay()) return undefined;
    const update = await this.#parts.inbox.takeUp(next);
    this.#suspects?.shift();
    this.#begin([next]);
    return update;
  }

  /** Forgets those that have ended before the first that has not: the next look begins there. */
  #isBegunUnderWay(): boolean {
    const place = this.#begun.findIndex((id) => this.#parts.inbox.isPending(id));
    this.#begun = place < 0 ? [] : this.#begun.slice(place);
    return place >= 0;
  }

  #begin(ids: number[]): void {
    this.#begun = ids;
    this.#begunEnded = undefined;
  }

  /** Nothing, when a suspect can be taken up before the poll ends. */
  async #whatArrives(): Promise<Update[]> {
    this.#poll ??= this.#fetch();
    if (this.#suspects?.length && (await this.#isSuspectDueBefore(this.#poll))) return [];
    const poll = this.#poll;
    this.#poll = undefined;
    return poll;
  }

  #isSuspectDueBefore(poll: Promise<unknown>): Promise<boolean> {
    this.#begunEnded ??= this.#parts.inbox.handled(this.#begun);
    // How the poll ended is looked at by whoever takes its outcome.
    const isPollOver = () => false;
    return Promise.race([poll.then(isPollOver, isPollOver), this.#begunEnded.then(() => true)]);
  }

  /** One poll; what it brings is committed. */
  async #fetch(): Promise<Update[]> {
    const { api, inbox } = this.#parts;
    // A quiet chat would answer a long poll so late that the bot seemed not to work for as long.
    const timeout = this.#isPolling ? LONG_POLL_SEC : 0;
    const options = { offset: this.#offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES };
    const batch = await api.getUpdates(options, this.#stopping.signal as unknown as RunnerSignal);
    if (this.#isPolling) this.#faults = 0;
    this.#showPolling(true);
    const last = batch.at(-1);
    if (!last) return [];
    const fresh = await inbox.receive(batch);
    this.#offset = last.update_id + 1;
    return fresh;
  }

  #waitOut(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#parts;
    this.#showPolling(false);
    this.#faults += 1;
    // A wait for suspects that failed is begun anew.
    this.#begunEnded = undefined;
    logger.warn({ err: error, attempt: this.#faults }, "polling failed, trying again");
    return sleep(clock, pauseAfter(error, this.#faults), signal);
  }

  #showPolling(isPolling: boolean): void {
    this.#isPolling = isPolling;
    this.#parts.onPolling(isPolling);
  }
}

function pauseAfter(error: unknown, attempt: number): number {
  const retryAfterSec = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return retryAfterSec === undefined ? backOffMs(attempt, BACK_OFF) : retryAfterSec * 1000;
}
