import type { UpdateSupplier } from "@grammyjs/runner";
import { type Api, GrammyError } from "grammy";
import type { PreCheckoutQuery, Update } from "grammy/types";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs, retry } from "../../platform/retry.js";
import { OutageLog } from "../telegram/outage-log.js";
import type { Inbox } from "./inbox.js";

/** Must contain each kind of update that has a handler. */
const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "pre_checkout_query",
] as const;
const LONG_POLL_SEC = 30;
/** Telegram's maximum. The runner may ask for fewer, but each poll costs a call and a commit. */
const BATCH = 100;
const BACK_OFF = { firstMs: 200, maxMs: 15_000 };

/** Another poller with the token takes a part of the updates: the bot counts as not polling for this time, in ms. */
const RIVAL_MS = 60_000;

type RunnerSignal = Parameters<UpdateSupplier<Update>["supply"]>[1];

interface SourceParts {
  api: Api;
  inbox: Inbox;
  clock: Clock;
  logger: Logger;
  /** Called once with updates that ended the process too often, after they have left the inbox. */
  onGivenUp: (updates: readonly Update[]) => void;
  /** Takes an update that is never dropped, and ended the process too often. */
  takeHeld: (update: Update) => Promise<void>;
  /** Called at once with what Telegram waits for ten seconds at most: it is not kept. */
  onPreCheckout: (query: PreCheckoutQuery) => void;
  /** Called with false while polling fails, and for a minute after each sign of another poller. */
  onPolling: (isPolling: boolean) => void;
}

/**
 * Supplies the unfinished updates of the previous run, then new updates.
 * Each suspect is supplied when all earlier ones have ended, during or between polls.
 * Faults are retried. A poll confirms an offset only after the batch was committed.
 */
export class InboxSource implements UpdateSupplier<Update> {
  readonly #parts: SourceParts;
  readonly #stopping = new AbortController();
  #signal: RunnerSignal | undefined;
  #offset = 0;
  /** Ids not supplied yet; undefined until the previous run is known. */
  #suspects: number[] | undefined;
  /** Supplied ids of the previous run that may be in progress. */
  #started: number[] = [];
  /** Resolves when they have ended. Shared by all polls. */
  #startedEnded: Promise<void> | undefined;
  /** Outlives a `supply` that returns a suspect. */
  #poll: Promise<Update[]> | undefined;
  #isPolling = false;
  /** Set for a minute after another poller was noticed. */
  #rival: CancelTimer | undefined;
  /** Faults since a long poll succeeded. A short poll does not detect another poller. */
  #faults = 0;

  readonly #outage: OutageLog;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#outage = new OutageLog(parts.clock, parts.logger);
  }

  /** Resolves with updates to start now, possibly none. Rejects only after the signal has aborted. */
  async supply(_batchSize: number, signal: RunnerSignal): Promise<Update[]> {
    this.#stopWith(signal);
    const options = {
      clock: this.#parts.clock,
      backOff: BACK_OFF,
      signal: signal as unknown as AbortSignal,
      onFailure: (error: unknown) => this.#countFault(error),
      // Faults are counted across supplies.
      pauseFor: (error: unknown) => pauseAfter(error, this.#faults),
    };
    return retry(options, () => this.#next());
  }

  /** Passes the end of a supply on: each has its own signal, and a poll may outlast it. */
  #stopWith(signal: RunnerSignal): void {
    if (signal === this.#signal) return;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#stopping.abort(), { once: true });
  }

  async #next(): Promise<Update[]> {
    if (!this.#suspects) {
      const unfinished = await this.#recover();
      if (unfinished.length > 0) return unfinished;
    }
    const suspect = await this.#startSuspect();
    return suspect ? [suspect] : this.#whatArrives();
  }

  async #recover(): Promise<Update[]> {
    const { inbox, logger, onGivenUp } = this.#parts;
    const { updates, suspects, dropped, held } = await inbox.recover();
    this.#suspects = suspects;
    this.#begin(updates.map(({ update_id }) => update_id));
    for (const { update_id } of dropped)
      logger.error({ update_id }, "update dropped: it was started too often");
    if (dropped.length > 0) onGivenUp(dropped);
    for (const update of held) void this.#takeHeld(update);
    if (updates.length + suspects.length > 0)
      logger.info(
        { updates: updates.length, suspects: suspects.length },
        "unfinished updates taken up again",
      );
    return updates;
  }

  async #takeHeld(update: Update): Promise<void> {
    const { inbox, logger, takeHeld } = this.#parts;
    const { update_id } = update;
    logger.error({ update_id }, "payment started too often: it is taken alone");
    try {
      await takeHeld(update);
      await inbox.finish(update_id);
    } catch (error) {
      logger.error({ update_id, err: error }, "payment not taken: the next start tries again");
    }
  }

  /** Starts the next suspect. Undefined while an earlier update is in progress. */
  async #startSuspect(): Promise<Update | undefined> {
    const next = this.#suspects?.[0];
    if (next === undefined || this.#isBegunInFlight()) return undefined;
    const update = await this.#parts.inbox.startSuspect(next);
    this.#suspects?.shift();
    this.#begin([next]);
    return update;
  }

  /** Drops the leading ids that have ended, so that the next check skips them. */
  #isBegunInFlight(): boolean {
    const place = this.#started.findIndex((id) => this.#parts.inbox.isPending(id));
    this.#started = place < 0 ? [] : this.#started.slice(place);
    return place >= 0;
  }

  #begin(ids: number[]): void {
    this.#started = ids;
    this.#startedEnded = undefined;
  }

  /** Resolves to an empty array when a suspect can be started before the poll ends. */
  async #whatArrives(): Promise<Update[]> {
    this.#poll ??= this.#fetch();
    if (this.#suspects?.length && (await this.#isSuspectDueBefore(this.#poll))) return [];
    const poll = this.#poll;
    this.#poll = undefined;
    return poll;
  }

  #isSuspectDueBefore(poll: Promise<unknown>): Promise<boolean> {
    this.#startedEnded ??= this.#parts.inbox.handled(this.#started);
    // A rejection is handled by the consumer of `#poll`.
    const isPollOver = () => false;
    return Promise.race([poll.then(isPollOver, isPollOver), this.#startedEnded.then(() => true)]);
  }

  async #fetch(): Promise<Update[]> {
    const { api, inbox } = this.#parts;
    // Until polling works, a short poll: without updates, a long poll would report success only after 30 s.
    const timeout = this.#isPolling ? LONG_POLL_SEC : 0;
    const options = { offset: this.#offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES };
    const given = await api.getUpdates(options, this.#stopping.signal as unknown as RunnerSignal);
    const batch = given.filter(isUpdate);
    if (batch.length < given.length) this.#tellUnread(given.length - batch.length, batch.length);
    if (this.#isPolling) this.#faults = 0;
    this.#outage.answered();
    this.#showPolling(true);
    if (batch.length === 0) return [];
    for (const { pre_checkout_query: query } of batch) if (query) this.#parts.onPreCheckout(query);
    const fresh = await inbox.receive(batch.filter(({ pre_checkout_query }) => !pre_checkout_query));
    this.#offset = Math.max(...batch.map(({ update_id }) => update_id)) + 1;
    return fresh;
  }

  /** One that is not read is passed over with the offset of the others. Throws where there are none: nothing ends it. */
  #tellUnread(unread: number, read: number): void {
    if (read === 0) throw new Error("Telegram gives updates that cannot be read");
    this.#parts.logger.error({ updates: unread }, "updates without a number passed over");
  }

  #countFault(error: unknown): void {
    if (error instanceof GrammyError && error.error_code === 409) this.#noteRival();
    this.#showPolling(false);
    this.#faults += 1;
    this.#startedEnded = undefined;
    this.#outage.failed(error);
  }

  #noteRival(): void {
    this.#rival?.();
    this.#rival = this.#parts.clock.after(RIVAL_MS, () => {
      this.#rival = undefined;
      this.#parts.onPolling(this.#isPolling);
    });
  }

  #showPolling(isPolling: boolean): void {
    this.#isPolling = isPolling;
    this.#parts.onPolling(isPolling && !this.#rival);
  }
}

/** Tells an update by its number, which all that is done with it needs. */
function isUpdate(given: unknown): given is Update {
  if (typeof given !== "object" || given === null || !("update_id" in given)) return false;
  return Number.isSafeInteger(given.update_id);
}

function pauseAfter(error: unknown, attempt: number): number {
  const retryAfterSec = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return retryAfterSec === undefined ? backOffMs(attempt, BACK_OFF) : retryAfterSec * 1000;
}
