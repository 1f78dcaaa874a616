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
 * Supplies the runner: first what an earlier run left unfinished, then what Telegram sends. An offset is
 * confirmed only by the poll after its batch has been committed, and every fault is waited out.
 */
export function inboxSource({ api, inbox, clock, logger, onPolling }: SourceParts): UpdateSupplier<Update> {
  let offset = 0;
  /** Unfinished updates of an earlier run that have been supplied; undefined when there are no more. */
  let recovered: Set<number> | undefined = new Set();

  async function recover(handedOn: Set<number>): Promise<Update[]> {
    const { updates, dropped } = await inbox.recover(handedOn);
    for (const { update_id } of updates) handedOn.add(update_id);
    if (updates.length === 0) recovered = undefined;
    for (const update_id of dropped) logger.error({ update_id }, "update dropped: it was begun too often");
    if (updates.length > 0) logger.info({ updates: updates.length }, "unfinished updates taken up again");
    return updates;
  }

  async function poll(limit: number, signal: RunnerSignal): Promise<Update[]> {
    const batch = await api.getUpdates(
      { offset, limit, timeout: LONG_POLL_SEC, allowed_updates: ALLOWED_UPDATES },
      signal,
    );
    onPolling(true);
    const last = batch.at(-1);
    if (!last) return [];
    const fresh = await inbox.receive(batch);
    offset = last.update_id + 1;
    return fresh;
  }

  async function supply(batchSize: number, signal: RunnerSignal): Promise<Update[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (recovered) {
          const unfinished = await recover(recovered);
          if (unfinished.length > 0) return unfinished;
        }
        return await poll(Math.max(1, Math.min(batchSize, 100)), signal);
      } catch (error) {
        if (signal.aborted) throw error;
        onPolling(false);
        logger.warn({ err: error, attempt }, "polling failed, trying again");
        await sleep(clock, pauseAfter(error, attempt), signal as unknown as AbortSignal);
      }
    }
  }
  return { supply };
}

function pauseAfter(error: unknown, attempt: number): number {
  const retryAfterSec = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return retryAfterSec === undefined ? backOffMs(attempt, BACK_OFF) : retryAfterSec * 1000;
}
