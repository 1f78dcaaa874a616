import type { Update } from "grammy/types";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { noCipher, type TextCipher, UnsealError } from "../../platform/text-cipher.js";
import { DAY_MS } from "../../platform/units.js";
import {
  countTry,
  finish,
  forget,
  insertPending,
  type PendingRow,
  pending,
  pendingById,
  remember,
  setPayload,
  uncountTry,
} from "./inbox-table.js";

/** Milliseconds for which ids are remembered. Telegram restarts ids after an idle week. */
const REMEMBERED_MS = 7 * DAY_MS;
/** An update started this often without an end is dropped: it probably ends the process. */
const MOST_TRIES = 3;
/** The number of tries from which on an update is a suspect. */
const SUSPECT_TRIES = 2;

const storedUpdate = z.looseObject({ update_id: z.number().int() });

function updateOf(json: string): Update {
  return storedUpdate.parse(JSON.parse(json)) as Update;
}

/** Names the row that a sealed payload belongs to. */
function nameOf(updateId: number): string {
  return `update:${updateId}`;
}

/** What an earlier process left, oldest first. */
export interface Unfinished {
  updates: Update[];
  /** Ids started twice without an end. Start one at a time, because one of them may end the process. */
  suspects: number[];
  dropped: Update[];
  /** Updates that are never dropped: they stay until they are finished. */
  held: Update[];
}

interface InboxOptions {
  /** Default: payloads are stored in the clear. */
  cipher?: TextCipher;
  logger?: Logger;
  /** True for an update that is held where another one would be dropped. Default: none. */
  isNeverDropped?: (update: Update) => boolean;
}

interface FinishedUpdates {
  ids: number[];
  written: Promise<void>;
}

/** Commits updates before they are handled, so that a crash loses none. Drops duplicates. */
export class Inbox {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cipher: TextCipher;
  readonly #logger: Logger | undefined;
  readonly #isNeverDropped: (update: Update) => boolean;
  #finished: FinishedUpdates | undefined;
  #whenFinished: (() => void)[] = [];

  constructor(
    database: Database,
    clock: Clock,
    { cipher = noCipher, logger, isNeverDropped = () => false }: InboxOptions = {},
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#cipher = cipher;
    this.#logger = logger;
    this.#isNeverDropped = isNeverDropped;
  }

  /** Commits a batch. Resolves to the updates that were not received before. */
  receive(updates: readonly Update[]): Promise<Update[]> {
    const received_at = this.#clock.now();
    return this.#database.write("inbox", (tx) =>
      updates.filter((update) => {
        const { update_id } = update;
        if (tx.run(remember, { update_id, received_at }) === 0) return false;
        tx.run(insertPending, { update_id, payload: this.#seal(update_id, JSON.stringify(update)) });
        return true;
      }),
    );
  }

  /** Lists what is unfinished, once before `receive`. Also seals what is stored under an earlier key. */
  recover(): Promise<Unfinished> {
    return this.#database.write("inbox-recover", (tx) => {
      const rows = this.#unsealAll(tx);
      const givenUp = rows.filter(({ tries }) => tries >= MOST_TRIES).map(({ payload }) => updateOf(payload));
      const dropped = givenUp.filter((update) => !this.#isNeverDropped(update));
      tx.run(finish, { ids: JSON.stringify(dropped.map(({ update_id }) => update_id)) });
      const taken = rows.filter(({ tries }) => tries < SUSPECT_TRIES);
      for (const { update_id } of taken) tx.run(countTry, { update_id });
      const suspects = rows.filter(({ tries }) => tries >= SUSPECT_TRIES && tries < MOST_TRIES);
      return {
        updates: taken.map(({ payload }) => updateOf(payload)),
        suspects: suspects.map(({ update_id }) => update_id),
        dropped,
        held: givenUp.filter((update) => this.#isNeverDropped(update)),
      };
    });
  }

  /** Counts a try of a suspect. Resolves to undefined when it has been handled. */
  startSuspect(updateId: number): Promise<Update | undefined> {
    return this.#database.write("inbox-suspect", (tx) => {
      const row = tx.first(pendingById, { update_id: updateId });
      if (row) tx.run(countTry, { update_id: updateId });
      return row && updateOf(this.#cipher.open(row.payload, nameOf(updateId)));
    });
  }

  isPending(updateId: number): boolean {
    return this.#database.first(pendingById, { update_id: updateId }) !== undefined;
  }

  async handled(updateIds: readonly number[]): Promise<void> {
    for (const updateId of updateIds)
      while (this.isPending(updateId)) await new Promise<void>((resolve) => this.#whenFinished.push(resolve));
  }

  /** Marks an update as handled at the next commit and drops its payload. The id is kept for a week. */
  finish(updateId: number): Promise<void> {
    this.#finished ??= this.#writeFinished();
    this.#finished.ids.push(updateId);
    return this.#finished.written;
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
        if (!isKept) tx.run(setPayload, { update_id, payload: this.#seal(update_id, payload) });
        return [{ ...row, payload }];
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error;
        this.#logger?.error({ update_id, err: error }, "update dropped: it cannot be decrypted");
        tx.run(finish, { ids: JSON.stringify([update_id]) });
        return [];
      }
    });
  }

  /** Returns the one write for all updates finished before the next commit. */
  #writeFinished(): FinishedUpdates {
    const ids: number[] = [];
    const begin = () => {
      this.#finished = undefined;
    };
    const written = this.#database.writeLazily("inbox-done", (tx) => {
      begin();
      tx.run(finish, { ids: JSON.stringify(ids) });
    });
    // `begin` also on failure: the callers retry with a new write.
    written.then(() => this.#tellFinished(), begin);
    return { ids, written };
  }

  #tellFinished(): void {
    for (const resolve of this.#whenFinished.splice(0)) resolve();
  }

  /** Uncounts the try of updates that a stop interrupted: they did not end the process. */
  async putBack(updateIds: readonly number[]): Promise<void> {
    await this.#database.write("inbox-put-back", (tx) =>
      tx.run(uncountTry, { ids: JSON.stringify(updateIds) }),
    );
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - REMEMBERED_MS;
    await this.#database.write("inbox-sweep", (tx) => tx.run(forget, { before }));
  }
}
