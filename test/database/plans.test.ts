import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { STATEMENT_QUERIES } from "../../src/accounts/statement-store.js";
import { countUnpaidDrafts } from "../../src/bot/card/draft-store.js";
import { INBOX_QUERIES } from "../../src/bot/inbox/inbox.js";
import { OPEN_ORDER_QUERIES } from "../../src/bot/orders/order.js";
import { countOpenDeliveries } from "../../src/bot/orders/order-figures.js";
import { OFFER_QUERIES, OPEN_DELIVERY_QUERIES } from "../../src/bot/orders/order-store.js";
import { UNCERTAIN_QUERIES } from "../../src/bot/orders/uncertain-store.js";
import { REMOTE_JOB_QUERIES } from "../../src/client/remote-jobs.js";
import { migrate } from "../../src/database/migrate.js";
import type { CompiledStatement } from "../../src/database/prepared.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { QUEUE_QUERIES } from "../../src/jobs/job-store.js";
import { MONEY_QUERIES } from "../../src/jobs/money-sums.js";
import { HELD_QUERIES } from "../../src/jobs/provider-queue.js";
import { UNFETCHED_QUERIES } from "../../src/jobs/reference-fetcher.js";
import { DEPTH_QUERIES, UNSERVED_QUERIES } from "../../src/jobs/scheduler.js";
import { ORDER_LIMIT_QUERIES } from "../../src/jobs/submissions.js";
import { selectOlderReferences } from "../../src/media/media-cleanup.js";
import { sumOfReferences } from "../../src/media/media-store.js";
import { ATTEMPT_QUERIES } from "../../src/providers/attempt-store.js";
import { selectSpent } from "../../src/providers/service-balance.js";
import { MONEY_IN_QUERIES, OWED_QUERIES } from "../../src/tills/payment-book.js";
import { sources } from "../support/table-descriptions.js";

interface Query {
  compiled(): CompiledStatement;
}

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
            new RegExp(`\\b${name}\\.(?:get|all|count|update|delete)\\(\\s*[\\w.#]+,\\s*\\{([^{}]*)\\}`, "g"),
          ),
        ].map(([, columns = ""]) => ({ path, table, conditions: conditionsOf(columns, literal) })),
    ),
  );
}

function conditionsOf(columns: string, literal: string): string[] {
  const named = columns.matchAll(/(?:^|,)\s*(\w+)\s*(?::\s*([^,]+?))?\s*(?=,|$)/g);
  return [...named].map(([, column = "", value = ""]) => {
    if (value === "null") return `"${column}" IS NULL`;
    if (value === "not(null)") return `"${column}" IS NOT NULL`;
    if (/^(?:lessThan|atMost|moreThan|atLeast)\(/.test(value)) return `"${column}" < +1`;
    const [, isOther, given = value] = /^(not\()?(.*?)\)?$/.exec(value) ?? [];
    const isLiteral = column === literal && /^(?:"\w+"|\d+)$/.test(given);
    return `"${column}" ${isOther ? "<>" : "="} ${isLiteral ? given.replaceAll('"', "'") : "+1"}`;
  });
}

/** Queries that keep their index, however many rows have ended: what each plan has, and what it has not. */
const INDEXED: readonly (readonly [queries: Record<string, Query>, has: RegExp, hasNot?: RegExp])[] = [
  [
    { ...QUEUE_QUERIES, ...UNFETCHED_QUERIES, ...UNSERVED_QUERIES, ...HELD_QUERIES },
    /USING (COVERING )?INDEX job_(queued|generating|order)/,
    /TEMP B-TREE/,
  ],
  [DEPTH_QUERIES, /^SEARCH job USING INDEX job_queued/, /TEMP B-TREE/],
  [ORDER_LIMIT_QUERIES, /INDEX job_chat_/],
  [MONEY_QUERIES, /SEARCH (job|attempt) USING/, /SCAN/],
  [INBOX_QUERIES, /SEARCH inbox USING INTEGER PRIMARY KEY/, /SCAN inbox\b/],
  [STATEMENT_QUERIES, /USING/, /SCAN|TEMP B-TREE/],
  [MONEY_IN_QUERIES, /SEARCH ledger_entry USING INTEGER PRIMARY KEY/],
  [OWED_QUERIES, /SEARCH till_debt_entry USING INDEX till_debt_entry_time/],
  [{ sumOfReferences, selectOlderReferences }, /USING (COVERING )?INDEX media_file_reference/],
  [{ ...ATTEMPT_QUERIES, selectSpent }, /USING/, /^(SCAN|SEARCH) (?!.*USING (COVERING )?INDEX)/m],
  [REMOTE_JOB_QUERIES, /SEARCH remote_job USING/, /SCAN|TEMP B-TREE/],
  [
    { ...OPEN_ORDER_QUERIES, ...OPEN_DELIVERY_QUERIES, ...OFFER_QUERIES, countOpenDeliveries },
    /SEARCH \w+ USING (COVERING )?INDEX (order_open|order_uncertain|delivery_open|delivery_offer_user)/,
    /SCAN/,
  ],
  [
    UNCERTAIN_QUERIES,
    /USING/,
    /SCAN \w+\b(?! USING (?:COVERING )?INDEX (?:order_uncertain|uncertain_record_news))/,
  ],
  [{ countUnpaidDrafts }, /INDEX draft_unpaid/],
];

test.each(
  INDEXED.flatMap(([queries, has, hasNot]) =>
    Object.entries(queries).map(([name, query]) => ({ name, query, has, hasNot })),
  ),
)("$name reads by its index", ({ query, has, hasNot }) => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS, true);
  const { sql, bind } = query.compiled();
  const plan = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...bind({}).map((value) => value ?? 1));
  const details = plan.map(({ detail }) => detail).join("\n");
  expect(details).toMatch(has);
  if (hasNot) expect(details).not.toMatch(hasNot);
  db.close();
});

/** Tables that some lookups read whole: what waits, and connected accounts at a start or when one has ended. */
const READ_WHOLE = ["asked_correction", "connected_account", "offers_reload", "outbox_message"];
/** Small tables that are read whole by a sweep alone. */
const SWEPT_BY_AGE = ["dialog", "published_reference"];

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
      const isSweep =
        SWEPT_BY_AGE.includes(table) && conditions.every((condition) => condition.includes("<"));
      const isScan = plan.some(({ detail }) => /^SCAN (?!.*USING INDEX)/.test(detail));
      return isScan && !isSweep && !READ_WHOLE.includes(table);
    })
    .map(({ path, table, conditions }) => `${path}: ${table} by ${conditions.join(", ")}`);
  expect(scans).toEqual([]);
  db.close();
});
