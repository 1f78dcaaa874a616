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
export function inboxSource({ api, inbox, clock, logger, onPolling }: SourceParts): UpdateSupplier<Update> {
  let offset = 0;
  /** Ids that are still to be supplied; undefined until the earlier run is known. */
  let suspects: number[] | undefined;
  /** Ids of the earlier run that were supplied and may be under way. */
  let begun: number[] = [];
  /** False until a poll was answered, and from a fault on. */
  let isPolling = false;
  /** Faults since a poll that waited was answered: one that waits for nothing shows no other poller. */
  let faults = 0;
  let polling: Promise<void> | undefined;
  /** What a poll brought and nobody has been given yet. */
  let arrived: Update[] = [];
  const stopping = new AbortController();

  function showPolling(works: boolean): void {
    isPolling = works;
    onPolling(works);
  }

  async function recover(): Promise<Update[]> {
    const unfinished = await inbox.recover();
    suspects = unfinished.suspects;
    begun = unfinished.updates.map(({ update_id }) => update_id);
    for (const update_id of unfinished.dropped)
      logger.error({ update_id }, "update dropped: it was begun too often");
    const updates = unfinished.updates.length;
    if (updates + suspects.length > 0)
      logger.info({ updates, suspects: suspects.length }, "unfinished updates taken up again");
    return unfinished.updates;
  }

  /** The next suspect, unless one before it is still under way. */
  async function takeUp([next]: readonly number[]): Promise<Update | undefined> {
    begun = next === undefined ? [] : begun.filter((id) => inbox.isPending(id));
    if (next === undefined || begun.length > 0) return undefined;
    const update = await inbox.takeUp(next);
    begun = [next];
    suspects?.shift();
    return update;
  }

  async function poll(limit: number): Promise<void> {
    try {
      // A quiet chat would answer a long poll so late that the bot seemed not to work for as long.
      const timeout = isPolling ? LONG_POLL_SEC : 0;
      const options = { offset, limit, timeout, allowed_updates: ALLOWED_UPDATES };
      const batch = await api.getUpdates(options, stopping.signal as unknown as RunnerSignal);
      if (isPolling) faults = 0;
      showPolling(true);
      const last = batch.at(-1);
      if (!last) return;
      arrived = await inbox.receive(batch);
      offset = last.update_id + 1;
    } finally {
      polling = undefined;
    }
  }

  /** Nothing, when a suspect can be taken up before the poll ends. */
  async function whatArrives(limit: number): Promise<Update[]> {
    if (arrived.length === 0) {
      polling ??= poll(limit);
      await Promise.race(suspects?.length ? [polling, inbox.handled(begun)] : [polling]);
    }
    const updates = arrived;
    arrived = [];
    return updates;
  }

  async function supply(batchSize: number, signal: RunnerSignal): Promise<Update[]> {
    // Each supply has a signal of its own, and a poll may outlast it.
    signal.addEventListener("abort", () => stopping.abort());
    for (;;) {
      try {
        const unfinished = suspects ? [] : await recover();
        if (unfinished.length > 0) return unfinished;
        const next = await takeUp(suspects ?? []);
        if (next) return [next];
        return await whatArrives(Math.max(1, Math.min(batchSize, 100)));
      } catch (error) {
        if (signal.aborted) throw error;
        showPolling(false);
        faults += 1;
        logger.warn({ err: error, attempt: faults }, "polling failed, trying again");
        await sleep(clock, pauseAfter(error, faults), signal as unknown as AbortSignal);
      }
    }
  }
  return { supply };
}

function pauseAfter(error: unknown, attempt: number): number {
  const retryAfterSec = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return retryAfterSec === undefined ? backOffMs(attempt, BACK_OFF) : retryAfterSec * 1000;
}
