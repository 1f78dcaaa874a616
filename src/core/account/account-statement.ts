import { setImmediate } from "node:timers/promises";
import { asKopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { monthOf } from "../../platform/month.js";
import type { User } from "../../ports/gateway.js";
import type {
  MonthSums,
  Statement,
  StatementEntry,
  StatementOrder,
  StatementPage,
  StatementPlace,
} from "../../ports/statement.js";
import {
  chargedState,
  entriesAfter,
  entriesBefore,
  monthEntries,
  type StatementRow,
} from "../ledger/statement-store.js";
import type { Accounts } from "./accounts.js";
import { entryReason } from "./entry-reason.js";

/** Entries that are read in one turn of the event loop (about 2 ms). */
const CHUNK_ENTRIES = 200;
const NEWEST = { olderThan: Number.MAX_SAFE_INTEGER };

export interface AccountStatementOptions {
  database: Database;
  accounts: Pick<Accounts, "idOf">;
  clock: Clock;
}

/** Reads statements from the ledger and the jobs that its entries name. */
export class AccountStatement implements Statement {
  readonly #options: AccountStatementOptions;

  constructor(options: AccountStatementOptions) {
    this.#options = options;
  }

  async page(user: User, place: StatementPlace, limit: number): Promise<StatementPage> {
    const accountId = await this.#options.accounts.idOf(user);
    if (place && "newerThan" in place) {
      const rows = entriesAfter(this.#options.database, { accountId, id: place.newerThan, limit: limit + 1 });
      if (rows.length > limit)
        return { entries: this.#entriesOf(rows.slice(0, limit).reverse()), hasOlder: true, hasNewer: true };
    }
    const { olderThan } = place && "olderThan" in place ? place : NEWEST;
    const rows = entriesBefore(this.#options.database, { accountId, id: olderThan, limit: limit + 1 });
    const entries = this.#entriesOf(rows.slice(0, limit));
    return { entries, hasOlder: rows.length > limit, hasNewer: olderThan !== NEWEST.olderThan };
  }

  async month(user: User): Promise<MonthSums> {
    const { database, accounts, clock } = this.#options;
    const sums = { credit: NO_KOPECKS, debit: NO_KOPECKS, charge: NO_KOPECKS, refund: NO_KOPECKS };
    for (const { kind, amount } of monthEntries(database, await accounts.idOf(user), monthOf(clock.now())))
      sums[kind] = amount;
    return sums;
  }

  async *read(user: User, limit: number): AsyncGenerator<readonly StatementEntry[]> {
    const accountId = await this.#options.accounts.idOf(user);
    let { olderThan } = NEWEST;
    for (let left = limit; left > 0; ) {
      const page = { accountId, id: olderThan, limit: Math.min(left, CHUNK_ENTRIES) };
      const rows = entriesBefore(this.#options.database, page);
      const last = rows.at(-1);
      if (!last) return;
      yield this.#entriesOf(rows);
      olderThan = last.id;
      left -= rows.length;
      await setImmediate();
    }
  }

  #entriesOf(rows: readonly StatementRow[]): StatementEntry[] {
    return rows.map((row) => ({
      id: row.id,
      at: row.created_at,
      kind: row.kind,
      amountKopecks: row.amount,
      balanceKopecks: row.balance_after,
      ...entryReason(row),
      order: this.#orderOf(row),
    }));
  }

  #orderOf(row: StatementRow): StatementOrder | null {
    const { type, origin, model_title: title, cost, job_id: jobId } = row;
    if (type === null || title === null || cost === null || jobId === null) return null;
    const count = cost > 0 ? Math.max(1, Math.round(Math.abs(row.amount) / cost)) : 1;
    const isCharge = row.kind === "charge";
    const { open, returned } = isCharge
      ? chargedState(this.#options.database, { jobId, count })
      : { open: 0, returned: NO_KOPECKS };
    return {
      type,
      title,
      durationSec: typeof row.duration_sec === "number" ? row.duration_sec : null,
      count,
      isByApi: origin === "api",
      isOpen: open > 0,
      returnedKopecks: asKopecks(returned),
    };
  }
}
