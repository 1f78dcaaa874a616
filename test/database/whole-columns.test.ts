import Sqlite from "better-sqlite3";
import { expect, expectTypeOf, test } from "vitest";
import type { AccountRow } from "../../src/accounts/account-store.js";
import type { Kopecks } from "../../src/contract/price.js";
import { migrate } from "../../src/database/migrate.js";
import { queryBuilder, type WholeTable } from "../../src/database/prepared.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { type Integer, integer } from "../../src/platform/integer.js";

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
