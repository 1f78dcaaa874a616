import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { JobId } from "../../contract/job.js";
import { type Kopecks, NO_KOPECKS, sumOf } from "../../contract/price.js";
import type { Database } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import type { Figures } from "../../jobs/margin-report.js";
import { ageMs, type Clock, type Period } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { type Collector, gauge } from "../../platform/metric.js";
import { ORDER_JOBS, type OrderRow } from "./order.js";

const OPEN_STATES = ["accepted", "delivering"] as const;
const submittedElsewhere = () => qb.selectFrom("remote_submission").select("order_id");
const countOpen = (core: "embedded" | "api") =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      // A claimed order that has not been sent yet belongs to no core.
      .where("state", "in", core === "api" ? OPEN_STATES : ["claimed", ...OPEN_STATES])
      .where("id", core === "api" ? "not in" : "in", submittedElsewhere()),
  );
const ofOtherCore = { embedded: countOpen("embedded"), api: countOpen("api") };

const countSentWith = (isShared: boolean) =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .innerJoin("remote_submission", "order_id", "id")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("state", "in", ["claimed", ...OPEN_STATES])
      .where("account_id", isShared ? "is" : "is not", sql.lit(null)),
  );
const ofSharedAccount = countSentWith(true);
const ofOwnAccounts = countSentWith(false);
/** Counts by the index of submissions. An uncertain order may still be settled. */
const countOfAccount = prepare<{ account_id: number }, { count: number }>((p) =>
  qb
    .selectFrom("remote_submission")
    .innerJoin("order", "id", "order_id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("account_id", "=", p.account_id)
    .where("state", "in", ["claimed", "uncertain", ...OPEN_STATES]),
);
/** Newest first, by the index of submissions. */
const sentWithAccount = prepare<{ account_id: number }, Pick<OrderRow, "job_ids">>((p) =>
  qb
    .selectFrom("remote_submission")
    .innerJoin("order", "id", "order_id")
    .select("job_ids")
    .where("account_id", "=", p.account_id)
    .where("job_ids", "!=", sql.lit("[]"))
    .orderBy("sent_at", "desc")
    .limit(sql.lit(1)),
);
/** Counts by the index of claimed orders, which are few. */
const countUnsent = prepare<{ user_id: number }, { count: number }>((p) =>
  qb
    .selectFrom("order")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", sql.lit("claimed"))
    .where("user_id", "=", p.user_id)
    .where("id", "not in", submittedElsewhere()),
);

/** Counts open orders by whom they were sent to: only the core and the key that took an order can end it. */
export class OpenOrderCounts {
  constructor(private readonly database: Database) {}

  /** Counts the orders that the other core than `core` took. */
  ofOtherCore(core: "embedded" | "api"): number {
    return this.database.first(ofOtherCore[core], {})?.count ?? 0;
  }

  /** Counts the orders that were sent with people's own keys where they share an account, and the other way round. */
  ofOtherKeys(isShared: boolean): number {
    return this.database.first(isShared ? ofOwnAccounts : ofSharedAccount, {})?.count ?? 0;
  }

  /** Counts the orders of a connected account, with those of its user that were not sent yet. */
  ofAccount({ id, user_id }: { id: number; user_id: number }): number {
    const sent = this.database.first(countOfAccount, { account_id: id })?.count ?? 0;
    return sent + (this.database.first(countUnsent, { user_id })?.count ?? 0);
  }

  /** Finds the last job that was made with a connected account. */
  lastJobOf(accountId: number): JobId | undefined {
    const row = this.database.first(sentWithAccount, { account_id: accountId });
    return row && ORDER_JOBS.read(row.job_ids)[0];
  }
}

interface OpenDeliveries {
  state: "pending" | "parked";
  count: number;
  oldest: Integer;
}

const OPEN = ["pending", "parked"] as const;
/** Reads the index of open deliveries, which are few. */
export const countOpenDeliveries = prepare<object, OpenDeliveries>(() =>
  qb
    .selectFrom("delivery")
    .select((eb) => ["state", eb.fn.countAll<number>().as("count"), eb.fn.min("created_at").as("oldest")])
    .$narrowType<{ state: OpenDeliveries["state"] }>()
    .where(
      "state",
      "in",
      OPEN.map((state) => sql.lit(state)),
    )
    .groupBy("state"),
);

/** Tells of results that their people do not have yet. */
export function deliveriesMetric(database: Database, clock: Clock): Collector {
  return async () => {
    const rows = database.all(countOpenDeliveries, {});
    const of = (read: (row: OpenDeliveries) => number) =>
      OPEN.map((state) => {
        const row = rows.find((one) => one.state === state);
        return { labels: { state }, value: row ? read(row) : 0 };
      });
    return [
      gauge(
        "atelier_deliveries",
        "Results that are not delivered yet: pending ones are retried, parked ones wait for people who block the bot.",
        of(({ count }) => count),
      ),
      gauge(
        "atelier_deliveries_oldest_age_seconds",
        "How long ago the oldest of them was made.",
        of(({ oldest }) => ageMs(oldest, clock.now()) / 1000),
      ),
    ];
  };
}

const CHUNK_ORDERS = 1000;

const SOLD = ["id", "user_id", "model_title", "quoted_kopecks", "state", "created_at"] as const;
type SoldOrder = Pick<OrderRow, (typeof SOLD)[number]>;

const selectOrdersAfter = prepare<{ after: string }, SoldOrder>((p) =>
  qb.selectFrom("order").select(SOLD).where("id", ">", p.after).orderBy("id").limit(sql.lit(CHUNK_ORDERS)),
);
const ACCEPTED: ReadonlySet<string> = new Set(["accepted", "delivering", "closed"]);

/** Sums the orders of the chat that a service elsewhere accepted in each period. What they cost there is their income here. */
export async function readOrderFigures(database: Database, periods: readonly Period[]): Promise<Figures[]> {
  const found: SoldOrder[][] = periods.map(() => []);
  for (let after = ""; ; await setImmediate()) {
    const orders = database.all(selectOrdersAfter, { after });
    for (const order of orders.filter(({ state }) => ACCEPTED.has(state)))
      for (const [index, { from, until }] of periods.entries())
        if (order.created_at >= from && order.created_at < until) found[index]?.push(order);
    const last = orders.at(-1);
    if (!last || orders.length < CHUNK_ORDERS) return found.map(figuresOf);
    after = last.id;
  }
}

function figuresOf(orders: readonly SoldOrder[]): Figures {
  const models = new Map<string, { title: string; orders: number; income: Kopecks }>();
  for (const { model_title: title, quoted_kopecks } of orders) {
    const known = models.get(title) ?? { title, orders: 0, income: NO_KOPECKS };
    models.set(title, { title, orders: known.orders + 1, income: sumOf([known.income, quoted_kopecks]) });
  }
  return {
    orders: orders.length,
    buyers: new Set(orders.map(({ user_id }) => user_id)).size,
    income: sumOf(orders.map(({ quoted_kopecks }) => quoted_kopecks)),
    refunds: NO_KOPECKS,
    cost: null,
    models: [...models.values()].sort((a, b) => b.income - a.income),
    failures: [],
  };
}
