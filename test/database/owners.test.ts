import { posix } from "node:path";
import { expect, test } from "vitest";
import { descriptions, type Source, sources } from "../support/table-descriptions.js";

/** Tables that are read outside of their owner's part of src, and the parts that read them. */
const READ_BY_OTHERS: Readonly<Record<string, readonly string[]>> = {
  // The operator's lists and sums join what was tried, paid and made.
  attempt: ["core", "jobs"],
  upstream_state: ["jobs"],
  job: ["accounts", "core"],
  ledger_entry: ["core", "tills"],
  // A job and its files are read in one statement.
  media_file: ["jobs"],
  // To whom an order was sent says who can end it.
  remote_submission: ["bot"],
  till_debt_entry: ["tills"],
};

const ownerOf = new Map(descriptions.map(({ table, path }) => [table, posix.dirname(path)]));

/** The tables that a file opens by `table`, or that its statements name after one of `verbs`. */
function namedAfter({ text }: Source, verbs: string): string[] {
  return [...text.matchAll(new RegExp(`(?:\\.(?:${verbs})|\\btable)\\(\\s*"(\\w+)`, "g"))].map(
    ([, table = ""]) => table,
  );
}

const WRITES = "insertInto|replaceInto|mergeInto|updateTable|deleteFrom";

test("only the folder that describes a table writes it", () => {
  const breaches = sources.flatMap((source) =>
    namedAfter(source, WRITES)
      .filter((table) => ownerOf.get(table) !== posix.dirname(source.path))
      .map((table) => `${source.path} writes ${table}, which is of ${ownerOf.get(table)}`),
  );
  expect(breaches).toEqual([]);
});

test("a write names its table, and is built, not typed as text", () => {
  const unnamed = new RegExp(`\\.(?:${WRITES})\\((?!\\s*")`);
  const typed = /\b(?:INSERT (?:OR \w+ )?INTO|REPLACE INTO|UPDATE [\w"]+ SET|DELETE FROM)\b/i;
  const found = sources.filter(({ text }) => unnamed.test(text) || typed.test(text));
  // They record the migrations, without a schema that they would have to have made first; move SQLite's own counters, which
  // no part describes; and build the statements of `table`.
  expect(found.map(({ path }) => path).sort()).toEqual([
    "database/migrate.ts",
    "database/prepared.ts",
    "database/table.ts",
  ]);
});

test("who reads a table of another part is known", () => {
  const partOf = (path: string) => path.split("/", 1)[0] ?? path;
  const found: Record<string, Set<string>> = {};
  for (const source of sources)
    for (const table of namedAfter(source, "selectFrom|innerJoin|leftJoin")) {
      const part = partOf(source.path);
      const owner = ownerOf.get(table);
      // Aliases of subqueries have no owner.
      if (owner === undefined || partOf(owner) === part) continue;
      found[table] ??= new Set();
      found[table].add(part);
    }
  const readers = Object.fromEntries(Object.entries(found).map(([table, parts]) => [table, [...parts]]));
  expect(readers).toEqual(READ_BY_OTHERS);
});

test("files that build the service contain no statements", () => {
  const building = sources.filter(
    ({ path, text }) => !path.includes("/") && /\bimport [^;]*\b(?:qb|prepare)\b[^;]* from "/.test(text),
  );
  expect(building.map(({ path }) => path)).toEqual([]);
});
