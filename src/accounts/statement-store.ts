import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { GenerationType } from "../contract/model.js";
import { type Kopecks, NO_KOPECKS } from "../contract/price.js";
import type { Database } from "../database/database.js";
import { prepare, qb, type RowOf } from "../database/prepared.js";
import { table } from "../database/table.js";
import { monthOf } from "../platform/zoned-time.js";
import { type EntryReason, entryReason } from "./account-store.js";
import type { EntryKind, LedgerEntry } from "./ledger-store.js";

export type Origin = "api" | "bot";

/** What an entry paid for, or gave back. */
export interface StatementOrder {
  type: GenerationType;
  title: string;
  durationSec: number | null;
  /** Number of pictures or videos. */
  count: number;
  isByApi: boolean;
  /** True while something of it is being made. */
  isOpen: boolean;
  /** What was given back of it so far. */
  returnedKopecks: Kopecks;
}

type ShownColumn = "id" | "kind" | "amount" | "balance_after" | "created_at";

export interface StatementEntry extends Pick<LedgerEntry, ShownColumn>, EntryReason {
  order: StatementOrder | null;
}

export interface StatementPage {
  /** Newest first. */
  entries: readonly StatementEntry[];
  hasOlder: boolean;
  hasNewer: boolean;
}

/** Says where a page begins; the newest entries by default. */
export type StatementPlace = { olderThan: number } | { newerThan: number } | undefined;

/** Signed sums of a month (UTC) by kind. */
export type MonthSums = Readonly<Record<EntryKind, Kopecks>>;

/** Sums of the entries of an account by month (UTC, `2026-11`) and kind. Kept by a trigger of `ledger_entry`. */
interface LedgerMonthRow {
  account_id: number;
  month: string;
  kind: EntryKind;
  amount: Kopecks;
}

declare module "../database/prepared.js" {
  interface Schema {
    ledger_month: LedgerMonthRow;
  }
}

interface PageParams {
  accountId: number;
  id: number;
  limit: number;
}

const months = table("ledger_month");

const FIRST_JOB = sql<number>`coalesce(e.job_id, (SELECT o.id FROM job AS o
  WHERE o.account_id = e.account_id AND o.order_id = e.order_id AND o.order_id IS NOT NULL AND o.order_index = 0))`;
const entries = () =>
  qb
    .selectFrom("ledger_entry as e")
    // A refund of several jobs names their order alone.
    .leftJoin("job as j", (join) => join.on("j.id", "=", FIRST_JOB))
    .select([
      "e.id",
      "e.kind",
      "e.amount",
      "e.balance_after",
      "e.reason",
      "e.actor",
      "j.id as job_id",
      "e.created_at",
      "j.type",
      "j.origin",
      "j.model_title",
      "j.cost",
      sql<unknown>`j.request ->> '$.duration_sec'`.as("duration_sec"),
    ]);
const selectOlder = prepare((p: PageParams) =>
  entries()
    .where("e.account_id", "=", p.accountId)
    .where("e.id", "<", p.id)
    .orderBy("e.id", "desc")
    .limit(p.limit),
);
const selectNewer = prepare((p: PageParams) =>
  entries().where("e.account_id", "=", p.accountId).where("e.id", ">", p.id).orderBy("e.id").limit(p.limit),
);
/** An entry with the job that it names. The fields of the job are null where there is none. */
type StatementRow = RowOf<typeof selectOlder>;
/** Its sums are null where there is no job. */
const selectCharged = prepare((p: { first: number; end: number }) =>
  qb
    .selectFrom("job")
    .select([
      sql<number | null>`sum(finished_at IS NULL)`.as("open"),
      sql<Kopecks | null>`sum(CASE WHEN is_refunded = 1 OR paid_back_at IS NOT NULL THEN cost ELSE 0 END)`.as(
        "returned",
      ),
    ])
    .where("id", ">=", p.first)
    .where("id", "<", p.end),
);

/** A test checks that each of these uses an index. */
export const STATEMENT_QUERIES = { selectOlder, selectNewer, selectCharged };

/** Entries that are read in one turn of the event loop (about 2 ms). */
const CHUNK_ENTRIES = 200;
const NEWEST = { olderThan: Number.MAX_SAFE_INTEGER };

/** Reads a page of the ledger, with the jobs that its entries name. */
export function statementPage(
  database: Database,
  accountId: number,
  place: StatementPlace,
  limit: number,
): StatementPage {
  const entriesOf = (rows: readonly StatementRow[]) => rows.map((row) => entryOf(database, row));
  if (place && "newerThan" in place) {
    const rows = database.all(selectNewer, { accountId, id: place.newerThan, limit: limit + 1 });
    if (rows.length > limit)
      return { entries: entriesOf(rows.slice(0, limit).reverse()), hasOlder: true, hasNewer: true };
  }
  const { olderThan } = place && "olderThan" in place ? place : NEWEST;
  const rows = database.all(selectOlder, { accountId, id: olderThan, limit: limit + 1 });
  const entries = entriesOf(rows.slice(0, limit));
  return { entries, hasOlder: rows.length > limit, hasNewer: olderThan !== NEWEST.olderThan };
}

/** Reads the sums of the month of a moment. */
export function monthSums(database: Database, account_id: number, at: number): MonthSums {
  const sums = { credit: NO_KOPECKS, debit: NO_KOPECKS, charge: NO_KOPECKS, refund: NO_KOPECKS };
  for (const { kind, amount } of months.all(database, { account_id, month: monthOf(at) }))
    sums[kind] = amount;
  return sums;
}

/** Reads at most `limit` entries, newest first, in chunks between which the process does other work. */
export async function* readStatement(
  database: Database,
  accountId: number,
  limit: number,
): AsyncGenerator<readonly StatementEntry[]> {
  let { olderThan } = NEWEST;
  for (let left = limit; left > 0; ) {
    const page = { accountId, id: olderThan, limit: Math.min(left, CHUNK_ENTRIES) };
    const rows = database.all(selectOlder, page);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => entryOf(database, row));
    olderThan = last.id;
    left -= rows.length;
    await setImmediate();
  }
}

function entryOf(database: Database, row: StatementRow): StatementEntry {
  return { ...row, ...entryReason(row), order: orderOf(database, row) };
}

function orderOf(database: Database, row: StatementRow): StatementOrder | null {
  const { type, origin, model_title: title, cost, job_id: jobId } = row;
  if (type === null || title === null || cost === null || jobId === null) return null;
  const count = cost > 0 ? Math.max(1, Math.round(Math.abs(row.amount) / cost)) : 1;
  // The jobs of an order are made in one transaction, so that their ids follow one another.
  const jobs = { first: jobId, end: jobId + count };
  const charged = row.kind === "charge" ? database.first(selectCharged, jobs) : undefined;
  return {
    type,
    title,
    durationSec: typeof row.duration_sec === "number" ? row.duration_sec : null,
    count,
    isByApi: origin === "api",
    isOpen: (charged?.open ?? 0) > 0,
    returnedKopecks: charged?.returned ?? NO_KOPECKS,
  };
}
