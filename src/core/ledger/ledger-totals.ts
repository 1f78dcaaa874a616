import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { type Kopecks, NO_KOPECKS, sumOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { EntryKind } from "./ledger-table.js";

/** Limits the entries summed per turn of the event loop (about 1 ms). */
const CHUNK_ENTRIES = 4000;

/** Totals in kopecks. */
export interface LedgerSums {
  balances: Kopecks;
  /** Signed sum of the entries of each kind. */
  entries: Record<EntryKind, Kopecks>;
}

const selectSumsAfter = prepare<
  { after: number },
  { kind: EntryKind; amount: Kopecks; entries: number; last_id: number }
>((p) =>
  qb
    .selectFrom(
      qb
        .selectFrom("ledger_entry")
        .select(["id", "kind", "amount"])
        .where("id", ">", p.after)
        .orderBy("id")
        .limit(sql.lit(CHUNK_ENTRIES))
        .as("next"),
    )
    .select((eb) => [
      "kind",
      eb.fn.sum<Kopecks>("amount").as("amount"),
      eb.fn.countAll<number>().as("entries"),
      eb.fn.max("id").as("last_id"),
    ])
    .groupBy("kind"),
);
const selectBalances = prepare<object, { balances: Kopecks }>(() =>
  qb
    .selectFrom("account")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<Kopecks>("balance"), eb.lit(NO_KOPECKS)).as("balances")),
);

/** Sums incrementally: entries are append-only with increasing ids, so a read adds only new ones. */
export class LedgerTotals {
  readonly #database: Database;
  readonly #entries: Record<EntryKind, Kopecks> = {
    credit: NO_KOPECKS,
    debit: NO_KOPECKS,
    charge: NO_KOPECKS,
    refund: NO_KOPECKS,
  };
  #lastId = 0;
  #reading: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<LedgerSums> {
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    const balances = this.#database.first(selectBalances, {})?.balances ?? NO_KOPECKS;
    return { balances, entries: { ...this.#entries } };
  }

  async #catchUp(): Promise<void> {
    while (this.#addChunk() === CHUNK_ENTRIES) await setImmediate();
  }

  #addChunk(): number {
    let added = 0;
    for (const { kind, amount, entries, last_id } of this.#database.all(selectSumsAfter, {
      after: this.#lastId,
    })) {
      this.#entries[kind] = sumOf([this.#entries[kind], amount]);
      this.#lastId = Math.max(this.#lastId, last_id);
      added += entries;
    }
    return added;
  }
}
