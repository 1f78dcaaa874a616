import { sql } from "kysely";
import type { GenerationType } from "../../contract/model.js";
import { type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Origin } from "../jobs/job-table.js";
import type { LedgerMonthRow } from "./ledger-month-table.js";
import type { LedgerEntry } from "./ledger-store.js";

/** An entry with the job that it names. The fields of the job are null where there is none. */
export interface StatementRow
  extends Pick<
    LedgerEntry,
    "id" | "kind" | "amount" | "balance_after" | "reason" | "actor" | "job_id" | "created_at"
  > {
  type: GenerationType | null;
  origin: Origin | null;
  model_title: string | null;
  cost: Kopecks | null;
  duration_sec: unknown;
}

interface PageParams {
  accountId: number;
  id: number;
  limit: number;
}

interface ChargedJobs {
  /** The first one's; those of an order are made in one transaction, so that their ids follow one another. */
  jobId: number;
  count: number;
}

export interface ChargedState {
  open: number;
  returned: Kopecks;
}

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
const selectOlder = prepare<PageParams, StatementRow>((p) =>
  entries()
    .where("e.account_id", "=", p.accountId)
    .where("e.id", "<", p.id)
    .orderBy("e.id", "desc")
    .limit(p.limit),
);
const selectNewer = prepare<PageParams, StatementRow>((p) =>
  entries().where("e.account_id", "=", p.accountId).where("e.id", ">", p.id).orderBy("e.id").limit(p.limit),
);
const selectCharged = prepare<{ first: number; end: number }, ChargedState>((p) =>
  qb
    .selectFrom("job")
    .select([
      sql<number>`sum(finished_at IS NULL)`.as("open"),
      sql<Kopecks>`sum(CASE WHEN is_refunded = 1 OR paid_back_at IS NOT NULL THEN cost ELSE 0 END)`.as(
        "returned",
      ),
    ])
    .where("id", ">=", p.first)
    .where("id", "<", p.end),
);
const selectMonth = prepare<
  Pick<LedgerMonthRow, "account_id" | "month">,
  Pick<LedgerMonthRow, "kind" | "amount">
>((p) =>
  qb
    .selectFrom("ledger_month")
    .select(["kind", "amount"])
    .where("account_id", "=", p.account_id)
    .where("month", "=", p.month),
);

/** A test checks that each of these uses an index. */
export const STATEMENT_QUERIES = { selectOlder, selectNewer, selectCharged, selectMonth };

/** Returns entries older than one, newest first. */
export function entriesBefore(database: Database, page: PageParams): StatementRow[] {
  return database.all(selectOlder, page);
}

/** Returns entries newer than one, oldest first. */
export function entriesAfter(database: Database, page: PageParams): StatementRow[] {
  return database.all(selectNewer, page);
}

export function chargedState(database: Database, { jobId, count }: ChargedJobs): ChargedState {
  const state = database.first(selectCharged, { first: jobId, end: jobId + count });
  return { open: state?.open ?? 0, returned: state?.returned ?? NO_KOPECKS };
}

export function monthEntries(
  database: Database,
  accountId: number,
  month: string,
): Pick<LedgerMonthRow, "kind" | "amount">[] {
  return database.all(selectMonth, { account_id: accountId, month });
}
