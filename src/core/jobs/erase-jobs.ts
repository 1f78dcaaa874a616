import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { JobRow } from "./job-store.js";

interface Page {
  accountId: number;
  afterId: number;
  limit: number;
}

const selectEnded = prepare<Page, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.afterId)
    .where("finished_at", "is not", sql.lit(null))
    .orderBy("id")
    .limit(p.limit),
);
const selectOpen = prepare<{ accountId: number }, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("account_id", "=", p.accountId)
    .where("finished_at", "is", sql.lit(null))
    .limit(sql.lit(1)),
);
/** Leaves what sums are grouped by: type and model. */
const eraseWords = prepare<{ id: number }>((p) =>
  qb
    .updateTable("job")
    .set((eb) => ({
      request: sql<string>`json_object('type', type, 'model_key', model_key)`,
      error: eb.ref("failure"),
    }))
    .where("id", "=", p.id),
);

/** Erases what people wrote in the account's ended jobs after `afterId`. Returns their ids, at most `limit`. */
export function eraseJobs(tx: Transaction, page: Page): number[] {
  const ids = tx.all(selectEnded, page).map(({ id }) => id);
  for (const id of ids) tx.run(eraseWords, { id });
  return ids;
}

/** Tells whether the words of a job are erased: each request has more than what is left of it then. */
export function isJobErased({ request, type, model_key }: JobRow): boolean {
  return request === JSON.stringify({ type, model_key });
}

export function hasOpenJobsOf(source: Transaction | Database, accountId: number): boolean {
  return source.first(selectOpen, { accountId }) !== undefined;
}
