import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { JobId } from "../../contract/job.js";
import type { Kopecks } from "../../contract/price.js";
import type { Database, Transaction } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Collector } from "../../platform/metric.js";
import type { Drafts } from "../card/draft-store.js";
import type { Spending } from "../people/spending.js";
import {
  moveOrder,
  type Order,
  orderOf,
  type Refused,
  refuseOrder,
  replacementOf,
  setJobs,
  takenJob,
} from "./order.js";

/** What has become of an order since its person was last told. */
export type PersonNews = "uncertain" | "charged" | "not_charged";

/** The balance around the submission, in kopecks; null where it is not known. A hint, and no proof. */
export interface BalanceHint {
  before: Kopecks | null;
  after: Kopecks | null;
}

/** The record of an order that is or was uncertain. `order.state` tells whether it is settled. */
export interface UncertainOrder {
  /** The short id for admins: 1, 2, 3 … */
  number: number;
  order: Order;
  createdAt: Integer;
  balance: BalanceHint;
  /** Milliseconds since the epoch at which the repeats of its submission end; null where it is not repeated. */
  repeatedUntil: Integer | null;
  /** Null when the person knows the latest state. */
  personNews: PersonNews | null;
  toldAdminIds: readonly number[];
}

type ChargedOutcome =
  | { kind: "settled"; order: Order }
  /** The order is neither uncertain nor was it settled as not charged. */
  | { kind: "not_uncertain" }
  /** The order was settled as not charged, and its draft was ordered again since. */
  | { kind: "newer" }
  | { kind: "taken"; jobId: JobId };

const storedAdminIds = z.array(z.number().int());

interface UncertainTable {
  number: Generated<number>;
  order_id: string;
  created_at: Integer;
  balance_before_kopecks: Kopecks | null;
  balance_after_kopecks: Kopecks | null;
  person_news: PersonNews | null;
  told_admin_ids: string;
  repeated_until: Integer | null;
}
type UncertainRow = Selectable<UncertainTable>;

declare module "../../database/prepared.js" {
  interface Schema {
    uncertain_record: UncertainTable;
  }
}

const orders = table("order");
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
const repeatedRecords = prepare<object, Pick<UncertainRow, "order_id">>(() =>
  qb
    .selectFrom("order")
    .innerJoin("uncertain_record", "order_id", "id")
    .select("order_id")
    .where("state", "=", UNCERTAIN)
    .where("repeated_until", "is not", sql.lit(null)),
);
const countOpenRecords = prepare<object, { count: number }>(() =>
  qb
    .selectFrom("order")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", UNCERTAIN),
);
const recordsWithNews = prepare<object, Pick<UncertainRow, "order_id">>(() =>
  qb.selectFrom("uncertain_record").select("order_id").where("person_news", "is not", sql.lit(null)),
);
/** A test checks that none of these queries reads all rows. */
export const UNCERTAIN_QUERIES = {
  openRecords,
  repeatedRecords,
  countOpenRecords,
  recordsWithNews,
};

const UNKNOWN_BALANCE: BalanceHint = { before: null, after: null };

/** Stores orders of unknown outcome, who was told of them, and how they were settled. */
export class UncertainStore {
  constructor(
    private readonly database: Database,
    private readonly drafts: Drafts,
    private readonly clock: Clock,
    private readonly spending: Spending | undefined,
  ) {}

  find(number: number): UncertainOrder | undefined {
    return this.#whole(records.get(this.database, { number }));
  }

  findByOrder(orderId: string): UncertainOrder | undefined {
    return this.#whole(records.get(this.database, { order_id: orderId }));
  }

  /** Lists orders that are not settled, newest first. */
  open(offset: number, limit: number): UncertainOrder[] {
    const rows = this.database.all(openRecords, { offset, limit });
    return rows.map((row) => this.#whole(row)).filter((record) => record !== undefined);
  }

  countOpen(): number {
    return this.database.first(countOpenRecords, {})?.count ?? 0;
  }

  withNews(): string[] {
    return this.database.all(recordsWithNews, {}).map(({ order_id }) => order_id);
  }

  repeated(): Order[] {
    const rows = this.database.all(repeatedRecords, {});
    return rows.map(({ order_id }) => this.findByOrder(order_id)?.order).filter((one) => one !== undefined);
  }

  /** Marks an order as uncertain. Undefined when it is no longer claimed. `repeatedUntil`: the end of repeats. */
  mark(
    { id }: Order,
    balance: BalanceHint = UNKNOWN_BALANCE,
    repeatedUntil: Integer | null = null,
  ): Promise<UncertainOrder | undefined> {
    return this.database.write("order-uncertain", (tx) => {
      const order = moveOrder(tx, id, "mark_uncertain");
      if (!order) return undefined;
      const createdAt = this.clock.now();
      const number = records.insert(tx, {
        order_id: id,
        created_at: createdAt,
        balance_before_kopecks: balance.before,
        balance_after_kopecks: balance.after,
        person_news: "uncertain",
        told_admin_ids: "[]",
        repeated_until: repeatedUntil,
      });
      return {
        number,
        order,
        createdAt,
        balance,
        repeatedUntil,
        personNews: "uncertain",
        toldAdminIds: [],
      };
    });
  }

  /** Makes the order wait for an admin, when the repeats have settled nothing. Undefined when it is not uncertain. */
  endRepeats({ id }: Order): Promise<UncertainOrder | undefined> {
    return this.database.write("order-repeats-ended", (tx) => {
      const order = orders.get(tx, { id });
      if (order?.state !== "uncertain") return undefined;
      // Everybody is told again: the order now waits for an admin.
      const change = { repeated_until: null, person_news: "uncertain", told_admin_ids: "[]" } as const;
      records.update(tx, { order_id: id }, change);
      const row = records.get(tx, { order_id: id });
      return row && recordOf(row, orderOf(order));
    });
  }

  /**
   * Continues the order with these jobs. A job of another order is refused.
   * @param chargedKopecks undefined where it is not known: then the quote stands
   */
  settleCharged(order: Order, jobIds: readonly JobId[], chargedKopecks?: Kopecks): Promise<ChargedOutcome> {
    return this.database.write("order-settle", (tx) =>
      this.#chargedIn(tx, order, jobIds, chargedKopecks, () => moveOrder(tx, order.id, "settle_charged")),
    );
  }

  /** Works as `settleCharged`, after the order was settled as not charged, and while no other has taken its place. */
  takeBack(order: Order, jobIds: readonly JobId[], chargedKopecks: Kopecks): Promise<ChargedOutcome> {
    const { id, draftId } = order;
    return this.database.write("order-take-back", (tx): ChargedOutcome => {
      if (!records.get(tx, { order_id: id })) return { kind: "not_uncertain" };
      const own = { id, draft_id: draftId, user_id: order.userId, created_at: order.createdAt };
      if (tx.first(replacementOf, { ...own, model_key: order.request.model_key })) return { kind: "newer" };
      return this.#chargedIn(tx, order, jobIds, chargedKopecks, () => {
        const moved = moveOrder(tx, id, "take_back_refusal");
        // A tap on its card would be a second order.
        if (moved) this.drafts.closeIn(tx, draftId);
        return moved;
      });
    });
  }

  /** Refuses the order, whose draft can be edited again. Undefined when it is not uncertain. */
  settleNotCharged({ id }: Order): Promise<Refused | undefined> {
    return this.database.write("order-settle", (tx) => {
      const refused = refuseOrder(tx, this.drafts, id, "settle_not_charged");
      if (!refused) return undefined;
      this.spending?.refundIn(tx, id);
      records.update(tx, { order_id: id }, { person_news: "not_charged" });
      return refused;
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
      const told = row ? storedAdminIds.parse(JSON.parse(row.told_admin_ids)) : [];
      const ids = [...new Set([...told, adminId])];
      records.update(tx, { order_id: orderId }, { told_admin_ids: JSON.stringify(ids) });
    });
  }

  #chargedIn(
    tx: Transaction,
    order: Order,
    jobIds: readonly JobId[],
    chargedKopecks: Kopecks | undefined,
    move: () => Order | undefined,
  ): ChargedOutcome {
    const { id } = order;
    const taken = takenJob(tx, jobIds, order, this.spending !== undefined);
    if (taken !== undefined) return { kind: "taken", jobId: taken };
    const moved = move();
    if (!moved) return { kind: "not_uncertain" };
    if (chargedKopecks !== undefined) this.spending?.correctIn(tx, id, chargedKopecks);
    records.update(tx, { order_id: id }, { person_news: "charged" });
    return { kind: "settled", order: setJobs(tx, moved, jobIds) };
  }

  #whole(row: UncertainRow | undefined): UncertainOrder | undefined {
    const order = row && orders.get(this.database, { id: row.order_id });
    return order && recordOf(row, orderOf(order));
  }
}

function recordOf(row: UncertainRow, order: Order): UncertainOrder {
  return {
    number: row.number,
    order,
    createdAt: row.created_at,
    balance: { before: row.balance_before_kopecks, after: row.balance_after_kopecks },
    repeatedUntil: row.repeated_until,
    personNews: row.person_news,
    toldAdminIds: storedAdminIds.parse(JSON.parse(row.told_admin_ids)),
  };
}

export function uncertainOrdersMetric(database: Database): Collector {
  return async () => [
    {
      name: "atelier_orders_uncertain",
      help: "Orders of unknown outcome that an admin has to settle.",
      kind: "gauge",
      samples: [{ value: database.first(countOpenRecords, {})?.count ?? 0 }],
    },
  ];
}
