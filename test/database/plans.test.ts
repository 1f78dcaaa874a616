import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { sources } from "../support/table-descriptions.js";

interface Lookup {
  path: string;
  table: string;
  /** Conditions, such as `id = ?`. */
  conditions: string[];
}

/** Finds the calls of a `table()` whose columns stand in the call: nearly all of them. */
function lookups(): Lookup[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/const (\w+) = table\("(\w+)"(?:, \["(\w+)"\])?\)/g)].flatMap(
      ([, name = "", table = "", literal = ""]) =>
        [
          ...text.matchAll(
            new RegExp(`\\b${name}\\.(?:get|all|update|delete)\\(\\s*[\\w.#]+,\\s*\\{([^{}]*)\\}`, "g"),
          ),
        ].map(([, columns = ""]) => ({ path, table, conditions: conditionsOf(columns, literal) })),
    ),
  );
}

function conditionsOf(columns: string, literal: string): string[] {
  const named = columns.matchAll(/(?:^|,)\s*(\w+)\s*(?::\s*([^,]+?))?\s*(?=,|$)/g);
  return [...named].map(([, column = "", value = ""]) => {
    if (value === "null") return `"${column}" IS NULL`;
    if (/^(?:lessThan|atMost|moreThan)\(/.test(value)) return `"${column}" < +1`;
    const isLiteral = column === literal && /^(?:"\w+"|\d+)$/.test(value);
    return `"${column}" = ${isLiteral ? value.replaceAll('"', "'") : "+1"}`;
  });
}

/**
 * Tables that some lookups read whole: what waits, connected accounts at a start or when one has ended, and what is swept
 * by age.
 */
const READ_WHOLE = [
  "asked_correction",
  "connected_account",
  "dialog",
  "offers_reload",
  "outbox_message",
  "published_reference",
];

test("a lookup by equality reads an index, but in tables that are read whole", () => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  const found = lookups().filter(({ conditions }) => conditions.length > 0);
  expect(found.length).toBeGreaterThan(200);
  const scans = found
    .filter(({ table, conditions }) => {
      const plan = db
        .prepare<[], { detail: string }>(
          `EXPLAIN QUERY PLAN SELECT * FROM "${table}" WHERE ${conditions.join(" AND ")}`,
        )
        .all();
      return plan.some(({ detail }) => /^SCAN (?!.*USING INDEX)/.test(detail)) && !READ_WHOLE.includes(table);
    })
    .map(({ path, table, conditions }) => `${path}: ${table} by ${conditions.join(", ")}`);
  expect(scans).toEqual([]);
  db.close();
});
