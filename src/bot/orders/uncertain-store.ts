import { type Generated, type Selectable, sql } from "kysely";
import type { Kopecks } from "../../contract/price.js";
import type { Database, Reads } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { not, table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { type Collector, gauge } from "../../platform/metric.js";
import { moveOrder, type Order, type OrderRow, orderOf } from "./order.js";

/** What has become of an order since its person was last told. */
export type PersonNews = "uncertain" | "charged" | "not_charged";

/** The balance around the submission; null where it is not known. A hint, and no proof. */
export interface BalanceHint {
  before: Kopecks | null;
  after: Kopecks | null;
}

interface UncertainTable {
  /** The short id for admins: 1, 2, 3 … */
  number: Generated<number>;
  order_id: string;
  created_at: Integer;
  balance_before_kopecks: Kopecks | null;
  balance_after_kopecks: Kopecks | null;
  /** Null when the person knows the latest state. */
  person_news: PersonNews | null;
  told_admin_ids: string;
  /** Milliseconds since the epoch at which the repeats of its submission end; null where it is not repeated. */
  repeated_until: Integer | null;
}
type UncertainRow = Selectable<UncertainTable>;

/** The record of an order that is or was uncertain. `order.state` tells whether it is settled. */
export interface UncertainOrder extends UncertainRow {
  order: Order;
}

declare module "../../database/prepared.js" {
  interface Schema {
    uncertain_record: UncertainTable;
  }
}

const orders = table("order", ["state"]);
const records = table("uncertain_record");

const UNCERTAIN = sql.lit("uncertain" as const);

// These read the partial index of uncertain orders, which are few.
const openRecords = prepare<{ offset: number; limit: number }, UncertainRow>((p) =>
  qb
    .selectFrom("order")
    .innerJoin("uncertain_record", "order_id", "id")
    .selectAll("uncertain_record")
    .where("state", "=", UNCERTAIN)
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
);
const repeatedRecords = prepare<object, OrderRow>(() =>
  qb
    .selectFrom("order")
    .innerJoin("uncertain_record", "order_id", "id")
    .selectAll("order")
    .where("state", "=", UNCERTAIN)
    .where("repeated_until", "is not", sql.lit(null)),
);
export const UNCERTAIN_QUERIES = { openRecords, repeatedRecords };

export function toldAdminsOf({ told_admin_ids }: UncertainRow): readonly number[] {
  return JSON.parse(told_admin_ids) as number[];
}

export class UncertainStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  find(number: number): UncertainOrder | undefined {
    return wholeIn(this.database, records.get(this.database, { number }));
  }

  findByOrder(orderId: string): UncertainOrder | undefined {
    return wholeIn(this.database, records.get(this.database, { order_id: orderId }));
  }

  /** Lists orders that are not settled, newest first. */
  open(offset: number, limit: number): UncertainOrder[] {
    const rows = this.database.all(openRecords, { offset, limit });
    return rows.map((row) => wholeIn(this.database, row)).filter((record) => record !== undefined);
  }

  countOpen(): number {
    return orders.count(this.database, { state: "uncertain" });
  }

  withNews(): string[] {
    return records.all(this.database, { person_news: not(null) }).map(({ order_id }) => order_id);
  }

  repeated(): Order[] {
    return this.database.all(repeatedRecords, {}).map(orderOf);
  }

  /** Marks an order as uncertain. Undefined when it is no longer claimed. `repeatedUntil`: the end of repeats. */
  mark(
    { id }: Order,
    balance: BalanceHint = { before: null, after: null },
    repeatedUntil: Integer | null = null,
  ): Promise<UncertainOrder | undefined> {
    return this.database.write("order-uncertain", (tx) => {
      if (!moveOrder(tx, id, "mark_uncertain")) return undefined;
      records.insert(tx, {
        order_id: id,
        created_at: this.clock.now(),
        balance_before_kopecks: balance.before,
        balance_after_kopecks: balance.after,
        person_news: "uncertain",
        told_admin_ids: "[]",
        repeated_until: repeatedUntil,
      });
      return wholeIn(tx, records.get(tx, { order_id: id }));
    });
  }

  /** Makes the order wait for an admin, when the repeats have settled nothing. Undefined when it is not uncertain. */
  endRepeats({ id }: Order): Promise<UncertainOrder | undefined> {
    return this.database.write("order-repeats-ended", (tx) => {
      if (orders.get(tx, { id })?.state !== "uncertain") return undefined;
      // Everybody is told again: the order now waits for an admin.
      const change = { repeated_until: null, person_news: "uncertain", told_admin_ids: "[]" } as const;
      records.update(tx, { order_id: id }, change);
      return wholeIn(tx, records.get(tx, { order_id: id }));
    });
  }

  /** Keeps news that came after `news`. */
  async personTold(orderId: string, news: PersonNews): Promise<void> {
    await this.database.write("uncertain-person-told", (tx) =>
      records.update(tx, { order_id: orderId, person_news: news }, { person_news: null }),
    );
  }

  async adminTold(orderId: string, adminId: number): Promise<void> {
    await this.database.write("uncertain-admin-told", (tx) => {
      const row = records.get(tx, { order_id: orderId });
      const ids = [...new Set([...(row ? toldAdminsOf(row) : []), adminId])];
      records.update(tx, { order_id: orderId }, { told_admin_ids: JSON.stringify(ids) });
    });
  }
}

function wholeIn(source: Reads, row: UncertainRow | undefined): UncertainOrder | undefined {
  const order = row && orders.get(source, { id: row.order_id });
  return order && { ...row, order: orderOf(order) };
}

export function uncertainOrdersMetric(database: Database): Collector {
  return async () => [
    gauge("atelier_orders_uncertain", "Orders of unknown outcome that an admin has to settle.", [
      { value: orders.count(database, { state: "uncertain" }) },
    ]),
  ];
}
