import type { Generated, Selectable } from "kysely";
import type { Kopecks } from "../../../contract/money.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

/** The ledger is append-only, as triggers enforce. */
interface EntryTable {
  id: Generated<number>;
  user_id: number;
  month: string;
  /**
   * `charge`: reserved with the quote when an order is confirmed; `correction`: the sum that was charged
   * differs; `refund`: not charged, or given back.
   */
  kind: "charge" | "correction" | "refund";
  /** Signed: a charge is positive, a refund negative. */
  amount: Kopecks;
  /** The total of the person and month. */
  total_after: Kopecks;
  order_id: string;
  created_at: Integer;
}

interface LimitRow {
  user_id: number;
  kopecks: Kopecks;
  set_by: number;
  set_at: Integer;
}

interface TotalRow {
  user_id: number;
  month: string;
  kopecks: Kopecks;
}

declare module "../../../database/schema.js" {
  interface Schema {
    spending_entry: EntryTable;
    spending_limit: LimitRow;
    spending_total: TotalRow;
  }
}

export interface OrderSpending {
  user_id: number;
  month: string;
  kopecks: Kopecks;
}

export const limitOf = prepare<{ user_id: number }, Pick<LimitRow, "kopecks">>((p) =>
  qb.selectFrom("spending_limit").select("kopecks").where("user_id", "=", p.user_id),
);
export const setLimit = prepare<LimitRow>((p) =>
  qb
    .insertInto("spending_limit")
    .values({ user_id: p.user_id, kopecks: p.kopecks, set_by: p.set_by, set_at: p.set_at })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({
        kopecks: eb.ref("excluded.kopecks"),
        set_by: eb.ref("excluded.set_by"),
        set_at: eb.ref("excluded.set_at"),
      })),
    ),
);
export const deleteLimit = prepare<{ user_id: number }>((p) =>
  qb.deleteFrom("spending_limit").where("user_id", "=", p.user_id),
);
export const totalOf = prepare<{ user_id: number; month: string }, { kopecks: Kopecks }>((p) =>
  qb
    .selectFrom("spending_total")
    .select("kopecks")
    .where("user_id", "=", p.user_id)
    .where("month", "=", p.month),
);
/** Reads what an order has cost. No row for an order that is not counted. */
export const spendingOfOrder = prepare<{ order_id: string }, OrderSpending>((p) =>
  qb
    .selectFrom("spending_entry")
    .select((eb) => ["user_id", "month", eb.fn.sum<Kopecks>("amount").as("kopecks")])
    .where("order_id", "=", p.order_id)
    .groupBy("order_id"),
);
export const insertEntry = prepare<Omit<Selectable<EntryTable>, "id">>((p) =>
  qb.insertInto("spending_entry").values({
    user_id: p.user_id,
    month: p.month,
    kind: p.kind,
    amount: p.amount,
    total_after: p.total_after,
    order_id: p.order_id,
    created_at: p.created_at,
  }),
);
