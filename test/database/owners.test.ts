import { posix } from "node:path";
import { expect, test } from "vitest";
import { descriptions, type Source, sources } from "../support/table-descriptions.js";

const ownerOf = new Map(descriptions.map(({ table, path }) => [table, posix.dirname(path)]));

/** The tables that the statements of a file name after one of `verbs`. */
function namedAfter({ text }: Source, verbs: string): string[] {
  return [...text.matchAll(new RegExp(`\\.(?:${verbs})\\(\\s*"(\\w+)`, "g"))].map(([, table = ""]) => table);
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
  // It records the migrations, without a schema that they would have to have made first.
  expect(found.map(({ path }) => path)).toEqual(["database/migrate.ts"]);
});
