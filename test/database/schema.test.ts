import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { descriptions, SCHEMA_FILE, sources } from "../support/table-descriptions.js";

/** Columns that may hold fractions: seconds of a file, and sums of a service in its own currency. */
const FRACTIONS = [
  "attempt.cost_amount",
  "cost_total.cost_amount",
  "media_file.duration_sec",
  "upstream_state.balance",
];

interface RealColumn {
  tbl: string;
  strict: 0 | 1;
  name: string;
  type: "INTEGER" | "REAL" | "TEXT";
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

function realColumns(): RealColumn[] {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  // The table `migration` is the runner's own record.
  return db
    .prepare<[], RealColumn>(
      `SELECT t.name AS tbl, t.strict, c.* FROM pragma_table_list t JOIN pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'migration'`,
    )
    .all();
}

test("every table of the database is described once", () => {
  const tables = [...new Set(realColumns().map(({ tbl }) => tbl))];
  expect(descriptions.map(({ table }) => table).sort()).toEqual(tables.sort());
});

test("a description has the columns of its table, with numbers and NULL where the database has them", () => {
  const real = realColumns().map(({ tbl, name, type, notnull, pk }) => {
    const isNullable = notnull === 0 && pk === 0;
    return `${tbl}.${name}: ${type === "TEXT" ? "text" : "number"}${isNullable ? " or null" : ""}`;
  });
  const described = descriptions.flatMap(({ table, columns }) =>
    columns.map(
      ({ name, isNumber, isNullable }) =>
        `${table}.${name}: ${isNumber ? "number" : "text"}${isNullable ? " or null" : ""}`,
    ),
  );
  expect(described.sort()).toEqual(real.sort());
});

test("only columns that the database fills in may be left out of a new row", () => {
  const filled = new Set(
    realColumns()
      .filter(({ type, dflt_value, pk }) => dflt_value !== null || (pk === 1 && type === "INTEGER"))
      .map(({ tbl, name }) => `${tbl}.${name}`),
  );
  const generated = descriptions.flatMap(({ table, columns }) =>
    columns.filter(({ isGenerated }) => isGenerated).map(({ name }) => `${table}.${name}`),
  );
  expect(generated.filter((place) => !filled.has(place))).toEqual([]);
});

test("every table is strict, and no time or sum of kopecks has a column for fractions", () => {
  expect(realColumns().filter(({ strict }) => strict === 0)).toEqual([]);
  const others = realColumns().filter(({ type }) => type !== "INTEGER" && type !== "TEXT");
  expect(others.map(({ tbl, name }) => `${tbl}.${name}`).sort()).toEqual(FRACTIONS);
});

test("statements have one builder", () => {
  const building = sources.filter(({ text }) => /\b(?:queryBuilder|new Kysely)<\w+>\(/.test(text));
  expect(building.map(({ path }) => path).sort()).toEqual([SCHEMA_FILE]);
});
