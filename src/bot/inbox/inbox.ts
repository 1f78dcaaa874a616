import type { UpdateSupplier } from "@grammyjs/runner";
import { type Api, GrammyError } from "grammy";
import type { PreCheckoutQuery, Update } from "grammy/types";
import { sql } from "kysely";
import { z } from "zod";
import type { Database, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { backOffMs, retry } from "../../platform/retry.js";
import { noCipher, type TextCipher, UnsealError } from "../../platform/text-cipher.js";
import { DAY_MS } from "../../platform/units.js";
import { OutageLog } from "../telegram/files.js";

interface InboxRow {
  update_id: number;
  received_at: Integer;
}

interface PendingRow {
  update_id: number;
  tries: number;
  /** JSON, sealed where the service has an encryption key. */
  payload: string;
}

declare module "../../database/prepared.js" {
  interface Schema {
    inbox: InboxRow;
    inbox_pending: PendingRow;
  }
}

const received = table("inbox");
const waiting = table("inbox_pending");

/** Sorts the few that wait: by the index of ages it would read every id of a week. */
const pending = prepare<object, PendingRow>(() =>
  qb
    .selectFrom("inbox_pending")
    .innerJoin("inbox", "inbox.update_id", "inbox_pending.update_id")
    .select(["payload", "tries", "inbox.update_id"])
    .orderBy(sql`+received_at`)
    .orderBy("inbox.update_id"),
);
const countTry = prepare<{ update_id: number }>((p) =>
  qb
    .updateTable("inbox_pending")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("update_id", "=", p.update_id),
);
const uncountTry = prepare<{ update_id: number }>((p) =>
  qb
    .updateTable("inbox_pending")
    .set((eb) => ({ tries: eb("tries", "-", 1) }))
    .where("tries", ">", 0)
    .where("update_id", "=", p.update_id),
);
const forget = prepare<{ before: Integer }>((p) =>
  qb
    .deleteFrom("inbox")
    .where("received_at", "<", p.before)
    .where("update_id", "not in", qb.selectFrom("inbox_pending").select("update_id")),
);

export const INBOX_QUERIES = { pending };

/** Milliseconds for which ids are remembered. Telegram restarts ids after an idle week. */
const REMEMBERED_MS = 7 * DAY_MS;
/** The number of tries from which on an update is a suspect, and tried alone. */
const SUSPECT_TRIES = 2;
/** An update started this often without an end is dropped: three times alone, it is what ends the process. */
const MOST_TRIES = SUSPECT_TRIES + 3;

const storedUpdate = z.looseObject({ update_id: z.number().int() });

function updateOf(json: string): Update {
  return storedUpdate.parse(JSON.parse(json)) as Update;
}

function nameOf(updateId: number): string {
  return `update:${updateId}`;
}

interface InboxOptions {
  /** Default: payloads are stored in the clear. */
  cipher?: TextCipher;
  logger?: Logger;
  /** True for an update that is held where another one would be dropped. Default: none. */
  isNeverDropped?: (update: Update) => boolean;
}

/** Tells when an update came; undefined for one that was not kept. */
export function receivedAt(database: Database, update_id: number): Integer | undefined {
  return received.get(database, { update_id })?.received_at;
}

/** Commits updates before they are handled, so that a crash loses none. Drops duplicates. */
export class Inbox {
  readonly #cipher: TextCipher;
  readonly #logger: Logger | undefined;
  readonly #isNeverDropped: (update: Update) => boolean;
  #whenFinished: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    { cipher = noCipher, logger, isNeverDropped = () => false }: InboxOptions = {},
  ) {
    this.#cipher = cipher;
    this.#logger = logger;
    this.#isNeverDropped = isNeverDropped;
  }

  /** Commits a batch. Resolves to the updates that were not received before. */
  receive(updates: readonly Update[]): Promise<Update[]> {
    const received_at = this.clock.now();
    return this.database.write("inbox", (tx) =>
      updates.filter((update) => {
        const { update_id } = update;
        if (!received.insertOnce(tx, { update_id, received_at })) return false;
        const payload = this.#seal(update_id, JSON.stringify(update));
        waiting.insert(tx, { update_id, tries: 0, payload });
        return true;
      }),
    );
  }

  /** Lists what an earlier process left, oldest first, once before `receive`. Also seals what has an earlier key. */
  recover() {
    return this.database.write("inbox-recover", (tx) => {
      const rows = this.#unsealAll(tx);
      const givenUp = rows.filter(({ tries }) => tries >= MOST_TRIES).map(({ payload }) => updateOf(payload));
      const dropped = givenUp.filter((update) => !this.#isNeverDropped(update));
      for (const { update_id } of dropped) waiting.delete(tx, { update_id });
      const taken = rows.filter(({ tries }) => tries < SUSPECT_TRIES);
      for (const { update_id } of taken) tx.run(countTry, { update_id });
      const suspects = rows.filter(({ tries }) => tries >= SUSPECT_TRIES && tries < MOST_TRIES);
      return {
        updates: taken.map(({ payload }) => updateOf(payload)),
        // Started one at a time, because one of them may end the process.
        suspects: suspects.map(({ update_id }) => update_id),
        dropped,
        // They stay until they are finished.
        held: givenUp.filter((update) => this.#isNeverDropped(update)),
      };
    });
  }

  /** Counts a try of a suspect. Resolves to undefined when it has been handled. */
  startSuspect(updateId: number): Promise<Update | undefined> {
    return this.database.write("inbox-suspect", (tx) => {
      const row = waiting.get(tx, { update_id: updateId });
      if (row) tx.run(countTry, { update_id: updateId });
      return row && updateOf(this.#cipher.open(row.payload, nameOf(updateId)));
    });
  }

  isPending(updateId: number): boolean {
    return waiting.get(this.database, { update_id: updateId }) !== undefined;
  }

  /** Waits until the updates were handled. Reads nothing once `signal` aborts: the database may be closed then. */
  async handled(updateIds: readonly number[], signal: AbortSignal): Promise<void> {
    for (const updateId of updateIds)
      while (!signal.aborted && this.isPending(updateId))
        await new Promise<void>((resolve) => this.#whenFinished.push(resolve));
  }

  /** Marks an update as handled at the next commit and drops its payload. The id is kept for a week. */
  async finish(update_id: number): Promise<void> {
    await this.database.writeLazily("inbox-done", (tx) => waiting.delete(tx, { update_id }));
    for (const resolve of this.#whenFinished.splice(0)) resolve();
  }

  #seal(updateId: number, json: string): string {
    return this.#cipher.seal(json, nameOf(updateId));
  }

  /** Reads the pending rows. One whose key is no longer known is removed: nobody can handle it. */
  #unsealAll(tx: Transaction): PendingRow[] {
    return tx.all(pending, {}).flatMap((row) => {
      const { update_id } = row;
      try {
        const payload = this.#cipher.open(row.payload, nameOf(update_id));
        const isKept = this.#cipher.isCurrent(row.payload);
        if (!isKept) waiting.update(tx, { update_id }, { payload: this.#seal(update_id, payload) });
        return [{ ...row, payload }];
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error;
        this.#logger?.error({ update_id, err: error }, "update dropped: it cannot be decrypted");
        waiting.delete(tx, { update_id });
        return [];
      }
    });
  }

  /** Uncounts the try of updates that a stop interrupted: they did not end the process. */
  async putBack(updateIds: readonly number[]): Promise<void> {
    await this.database.write("inbox-put-back", (tx) => {
      for (const update_id of updateIds) tx.run(uncountTry, { update_id });
    });
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - REMEMBERED_MS;
    await this.database.write("inbox-sweep", (tx) => tx.run(forget, { before }));
  }
}

/** Drops the updates that wait in a restored backup: they were handled since, and a second time would order again. */
export function forgetWaiting(tx: Transaction): number {
  return waiting.delete(tx, {});
}

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
  /** Called once with the ids of suspects, and of the updates that are supplied before them. */
  onSuspects: (suspects: readonly number[], before: readonly number[]) => void;
  /** Takes an update that is never dropped, and ended the process too often. */
  takeHeld: (update: Update) => Promise<void>;
  /** Called at once with what Telegram waits for ten seconds at most: it is not kept. */
  onPreCheckout: (query: PreCheckoutQuery) => void;
  /** Called with false while polling fails, and for a minute after each sign of another poller. */
  onPolling: (isPolling: boolean) => void;
}

/**
 * Supplies the unfinished updates of the previous run, but for suspects, then new updates.
 * Faults are retried. A poll confirms an offset only after the batch was committed.
 */
export class InboxSource implements UpdateSupplier<Update> {
  #isRecovered = false;
  #offset = 0;
  #isPolling = false;
  /** Set for a minute after another poller was noticed. */
  #rival: CancelTimer | undefined;
  /** Faults since a long poll succeeded. A short poll does not detect another poller. */
  #faults = 0;

  readonly #outage: OutageLog;

  constructor(private readonly parts: SourceParts) {
    this.#outage = new OutageLog(parts.clock, parts.logger);
  }

  /** Resolves with updates to start now, possibly none. Rejects only after the signal has aborted. */
  async supply(_batchSize: number, signal: RunnerSignal): Promise<Update[]> {
    const options = {
      clock: this.parts.clock,
      backOff: BACK_OFF,
      signal: signal as unknown as AbortSignal,
      onFailure: (error: unknown) => this.#countFault(error),
      // Faults are counted across supplies.
      pauseFor: (error: unknown) => pauseAfter(error, this.#faults),
    };
    return retry(options, async () => {
      const unfinished = this.#isRecovered ? [] : await this.#recover();
      return unfinished.length > 0 ? unfinished : this.#fetch(signal);
    });
  }

  async #recover(): Promise<Update[]> {
    const { inbox, logger, onGivenUp, onSuspects } = this.parts;
    const { updates, suspects, dropped, held } = await inbox.recover();
    this.#isRecovered = true;
    for (const { update_id } of dropped)
      logger.error({ update_id }, "update dropped: it was started too often");
    if (dropped.length > 0) onGivenUp(dropped);
    for (const update of held) void this.#takeHeld(update);
    if (updates.length + suspects.length > 0)
      logger.info(
        { updates: updates.length, suspects: suspects.length },
        "unfinished updates taken up again",
      );
    onSuspects(
      suspects,
      updates.map(({ update_id }) => update_id),
    );
    return updates;
  }

  async #takeHeld(update: Update): Promise<void> {
    const { inbox, logger, takeHeld } = this.parts;
    const { update_id } = update;
    logger.error({ update_id }, "payment started too often: it is taken alone");
    try {
      await takeHeld(update);
      await inbox.finish(update_id);
    } catch (error) {
      logger.error({ update_id, err: error }, "payment not taken: the next start tries again");
    }
  }

  async #fetch(signal: RunnerSignal): Promise<Update[]> {
    const { api, inbox, logger } = this.parts;
    // Until polling works, a short poll: without updates, a long poll would report success only after 30 s.
    const timeout = this.#isPolling ? LONG_POLL_SEC : 0;
    const options = { offset: this.#offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES };
    const given = await api.getUpdates(options, signal);
    const batch = given.filter(isUpdate);
    const unread = given.length - batch.length;
    // Those that are not read are passed over with the offset of the others. Where there are none, nothing ends them.
    if (unread > 0 && batch.length === 0) throw new Error("Telegram gives updates that cannot be read");
    if (unread > 0) logger.error({ updates: unread }, "updates without a number passed over");
    if (this.#isPolling) this.#faults = 0;
    this.#outage.answered();
    this.#showPolling(true);
    if (batch.length === 0) return [];
    for (const { pre_checkout_query: query } of batch) if (query) this.parts.onPreCheckout(query);
    const fresh = await inbox.receive(batch.filter(({ pre_checkout_query }) => !pre_checkout_query));
    this.#offset = Math.max(...batch.map(({ update_id }) => update_id)) + 1;
    return fresh;
  }

  #countFault(error: unknown): void {
    if (error instanceof GrammyError && error.error_code === 409) {
      this.#rival?.();
      this.#rival = this.parts.clock.after(RIVAL_MS, () => {
        this.#rival = undefined;
        this.parts.onPolling(this.#isPolling);
      });
    }
    this.#showPolling(false);
    this.#faults += 1;
    this.#outage.failed(error);
  }

  #showPolling(isPolling: boolean): void {
    this.#isPolling = isPolling;
    this.parts.onPolling(isPolling && !this.#rival);
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
