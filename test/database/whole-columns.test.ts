import Sqlite from "better-sqlite3";
import { expect, expectTypeOf, test } from "vitest";
import type { AccountRow } from "../../src/accounts/account-store.js";
import type { Kopecks } from "../../src/contract/price.js";
import { migrate } from "../../src/database/migrate.js";
import { queryBuilder, type WholeColumn, type WholeTable } from "../../src/database/prepared.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { type Integer, integer } from "../../src/platform/integer.js";

/** Names of columns that hold times or sums. A name that `WholeColumn` does not know does not compile here. */
const TIMES_AND_SUMS: readonly WholeColumn[] = [
  "accepted_at",
  "agreed_at",
  "added_at",
  "answered_at",
  "amount",
  "asked_at",
  "at",
  "balance_after",
  "balance_after_kopecks",
  "balance_before_kopecks",
  "banned_at",
  "changed_at",
  "charged_kopecks",
  "cost",
  "created_at",
  "deadline_at",
  "doubted_since",
  "due_at",
  "ended_at",
  "finished_at",
  "first_seen_at",
  "invited_kopecks",
  "invited_owed_kopecks",
  "inviter_kopecks",
  "inviter_owed_kopecks",
  "kopecks",
  "last_seen_at",
  "last_used_at",
  "linkless_since",
  "lost_since",
  "made_at",
  "next_try_at",
  "not_found_since",
  "offered_at",
  "owed_kopecks",
  "paid_at",
  "paid_back_at",
  "planned_at",
  "quoted_kopecks",
  "received_at",
  "refunded_kopecks",
  "refused_at",
  "remove_at",
  "removed_at",
  "repeatable_until",
  "repeated_until",
  "restored_at",
  "resume_asked_at",
  "revoked_at",
  "rewarded_at",
  "seen_at",
  "sent_at",
  "set_at",
  "since",
  "since_at",
  "started_at",
  "submitted_at",
  "taken_back_at",
  "told_at",
  "total_after",
  "trusted_at",
  "unknown_since",
  "until_at",
  "up_since",
  "updated_at",
  "used_at",
  "waits_until",
  "valid_until",
];

/** Names of columns that count, number or flag something. A test below is about `balance`. */
const OTHERS: readonly string[] = [
  "blocked",
  "failed",
  "sent",
  "total",
  "attempts",
  "balance",
  "flagged",
  "foreign_count",
  "height",
  "id",
  "is_closed",
  "is_current",
  "is_done",
  "is_off",
  "is_refunded",
  "is_sending",
  "is_told",
  "job_index",
  "jobs",
  "late",
  "lost_attempts",
  "moved_to",
  "no",
  "not_found_count",
  "number",
  "open_attempts",
  "order_index",
  "poll_failures",
  "position",
  "price",
  "read_count",
  "reference_count",
  "refund_tries",
  "refusals",
  "returned",
  "revision",
  "rewards",
  "seed",
  "set_by",
  "size",
  "taken",
  "track",
  "tracks",
  "tries",
  "uses",
  "uses_max",
  "width",
];

/** Columns that may hold fractions: seconds of a file, and sums of a service in its own currency. */
const FRACTIONS = [
  "attempt.cost_amount",
  "cost_total.cost_amount",
  "media_file.duration_sec",
  "upstream_state.balance",
];

interface Column {
  place: string;
  name: string;
  type: string;
  isStrict: 0 | 1;
}

function columns(): readonly Column[] {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  return db
    .prepare<[], Column>(
      `SELECT t.name || '.' || c.name AS place, c.name, c.type, t.strict AS isStrict
       FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
}

test("every column for whole numbers is known as a time, a sum or another number", () => {
  const found = columns().filter(({ name, type }) => type === "INTEGER" && !name.endsWith("_id"));
  expect([...new Set(found.map(({ name }) => name))].sort()).toEqual([...TIMES_AND_SUMS, ...OTHERS].sort());
});

test("every table is strict, and no time or sum of kopecks has a column for fractions", () => {
  expect(columns().filter(({ isStrict }) => isStrict === 0)).toEqual([]);
  const others = columns().filter(({ type }) => type !== "INTEGER" && type !== "TEXT");
  expect(others.map(({ place }) => place).sort()).toEqual(FRACTIONS);
});

test("a table whose time or sum is a plain number does not compile", () => {
  interface Plain {
    created_at: number;
    ended_at: number | null;
    quoted_kopecks: number;
    attempts: number;
  }
  expectTypeOf<WholeTable<Plain>["created_at"]>().toBeNever();
  expectTypeOf<WholeTable<Plain>["ended_at"]>().toBeNever();
  expectTypeOf<WholeTable<Plain>["quoted_kopecks"]>().toBeNever();
  expectTypeOf<WholeTable<Plain>["attempts"]>().toBeNumber();
  expectTypeOf<WholeTable<{ created_at: Integer }>["created_at"]>().toEqualTypeOf<Integer>();
  // @ts-expect-error: the one builder of the service is made so of the whole schema.
  queryBuilder<{ plain: Plain }>();
  expectTypeOf<AccountRow["balance"]>().toEqualTypeOf<Kopecks>();
});

test("what is computed is a plain number until it is checked", () => {
  const age = integer(7);
  const halved = age / 2;
  expectTypeOf(halved).not.toExtend<Integer>();
  expect(integer(halved)).toBe(4);
});
