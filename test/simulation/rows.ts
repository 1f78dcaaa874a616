import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { z } from "zod";

const jobRow = z.object({
  id: z.int(),
  order_id: z.string().nullable(),
  is_refunded: z.int(),
  isPaidBack: z.int(),
  status: z.string(),
  origin: z.string(),
  cost: z.int(),
  prompt: z.string(),
});
const orderRow = z.object({
  id: z.string(),
  state: z.string(),
  chat_id: z.int(),
  quoted_kopecks: z.int(),
  job_ids: z.string(),
  prompt: z.string(),
});
const entryRow = z.object({
  job_id: z.int().nullable(),
  order_id: z.string().nullable(),
  kind: z.string(),
  amount: z.int(),
});
const refundRow = z.object({ orderId: z.string() });
const spendingRow = z.object({ order_id: z.string(), amount: z.int() });
const recordRow = z.object({ order_id: z.string(), isPersonTold: z.int(), told_admin_ids: z.string() });
const paymentRow = z.object({ till: z.string(), charge_id: z.string(), state: z.string() });
const jobIds = z.array(z.union([z.int(), z.string()]));

/** In any of these tables something has not ended. */
const OPEN = [
  "SELECT 1 FROM \"order\" WHERE state IN ('claimed', 'accepted', 'delivering')",
  "SELECT 1 FROM job WHERE status NOT IN ('done', 'error')",
  "SELECT 1 FROM inbox_pending",
  "SELECT 1 FROM outbox_message",
  "SELECT 1 FROM uncertain_record WHERE repeated_until IS NOT NULL",
];

/** Somebody could not be reached, and is told by the next start. */
const UNTOLD = `
  SELECT 1 FROM uncertain_record JOIN "order" ON "order".id = order_id
  WHERE person_news IS NOT NULL OR (state = 'uncertain' AND told_admin_ids = '[]')`;

/** Reads what the processes have written, beside them. */
export class RowReader {
  readonly #file: BetterSqlite3.Database;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(directory: string) {
    this.#file = new BetterSqlite3(join(directory, "atelier.db"), { readonly: true });
  }

  /** Whether everything that began has ended. */
  isSettled(open: readonly string[]): boolean {
    return [...OPEN, ...open].every((query) => this.isEmpty(query));
  }

  get hasUntold(): boolean {
    return !this.isEmpty(UNTOLD);
  }

  all<T>(schema: z.ZodType<T>, query: string): T[] {
    return z.array(schema).parse(this.#prepare(query).all());
  }

  isEmpty(query: string): boolean {
    return this.#prepare(query).get() === undefined;
  }

  close(): void {
    this.#file.close();
  }

  #prepare(query: string): BetterSqlite3.Statement {
    const known = this.#statements.get(query) ?? this.#file.prepare(query);
    this.#statements.set(query, known);
    return known;
  }
}

export type Rows = ReturnType<typeof readRows>;

export function readRows(reader: RowReader) {
  const words = ["prompt", "description", "lyrics"].map((name) => `written.request ->> '$.${name}'`);
  const text = `coalesce(${words.join(", ")}, '') AS prompt`;
  // People may be forgotten with their words.
  const writtenOf = (kind: string) => `JOIN sim_request AS written ON written.of = '${kind}:' || id`;
  const orders = `SELECT id, state, chat_id, quoted_kopecks, job_ids, ${text} FROM "order" ${writtenOf("order")}`;
  const columns = "id, order_id, status, origin, cost, is_refunded, paid_back_at IS NOT NULL AS isPaidBack";
  const refunds =
    "SELECT substr(subject, 7) AS orderId FROM audit_entry WHERE act = 'refund' AND subject GLOB 'order:*'";
  const records =
    "SELECT order_id, person_news IS NULL AS isPersonTold, told_admin_ids FROM uncertain_record";
  return {
    jobs: reader
      .all(jobRow, `SELECT ${columns}, ${text} FROM job ${writtenOf("job")}`)
      .map((job) => ({ ...job, name: nameOf(job.prompt) })),
    orders: reader.all(orderRow, orders).map((order) => ({
      ...order,
      name: nameOf(order.prompt),
      /** As the service names them, and their rows. */
      jobIds: jobIds.parse(JSON.parse(order.job_ids)),
      jobs: jobIds.parse(JSON.parse(order.job_ids)).map((job) => Number(String(job).replace("music_", ""))),
    })),
    entries: reader.all(entryRow, "SELECT job_id, order_id, kind, amount FROM ledger_entry"),
    /** Orders that an admin has refunded. */
    refunded: reader.all(refundRow, refunds).map(({ orderId }) => orderId),
    spending: reader.all(spendingRow, "SELECT order_id, amount FROM spending_entry"),
    records: reader.all(recordRow, records),
    payments: reader.all(paymentRow, "SELECT till, charge_id, state FROM till_payment"),
  };
}

/** Names a job of data that may be lost: its number may be another's after a second restore of one backup. */
export function lostName({
  id,
  order_id,
  name,
}: {
  id: number;
  order_id: string | null;
  name: string;
}): string {
  return `${order_id}/${id} ${name}`;
}

/** People number what they write; an example has no number. */
export function nameOf(prompt: string): string {
  return /number \d+ of \d+/.exec(prompt)?.[0] ?? prompt;
}

/** Those that stand in a list again. */
export function repeatedIn<T>(list: readonly T[]): T[] {
  return list.filter((one, place) => list.indexOf(one) !== place);
}

/** How many of each name there are. */
export function countNames(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
