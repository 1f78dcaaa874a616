import { sql } from "kysely";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS } from "../../../platform/units.js";

/** Milliseconds for which the takes of an order are kept, like its draft. */
const KEPT_MS = 30 * DAY_MS;

/** The further takes that were ordered with the button under a result. */
export interface Takes {
  taken: number;
  lastOrderId: string;
}

interface TakeRow {
  order_id: string;
  taken: number;
  last_order_id: string;
}

declare module "../../../database/schema.js" {
  interface Schema {
    order_take: TakeRow;
  }
}

const selectOne = prepare<{ id: string }, TakeRow>((p) =>
  qb.selectFrom("order_take").selectAll().where("order_id", "=", p.id),
);
const saveOne = prepare<TakeRow>((p) =>
  qb
    .insertInto("order_take")
    .values({ order_id: p.order_id, taken: p.taken, last_order_id: p.last_order_id })
    .onConflict((conflict) =>
      conflict.column("order_id").doUpdateSet((eb) => ({
        taken: eb.ref("excluded.taken"),
        last_order_id: eb.ref("excluded.last_order_id"),
      })),
    ),
);

/** Removes the takes of which the last one was ordered before a time. */
const removeOld = prepare<{ before: Integer }>((p) =>
  qb
    .deleteFrom("order_take")
    .where(sql<Integer>`(SELECT created_at FROM "order" WHERE id = last_order_id)`, "<", p.before),
);

export function takesIn(source: Database | Transaction, orderId: string): Takes | undefined {
  const row = source.first(selectOne, { id: orderId });
  return row && { taken: row.taken, lastOrderId: row.last_order_id };
}

/** Compares and sets: false, and no change, when another number of takes than `taken` was ordered. */
export function countTakeIn(
  tx: Transaction,
  { orderId, taken, nextOrderId }: { orderId: string; taken: number; nextOrderId: string },
): boolean {
  if ((takesIn(tx, orderId)?.taken ?? 0) !== taken) return false;
  tx.run(saveOne, { order_id: orderId, taken: taken + 1, last_order_id: nextOrderId });
  return true;
}

/** Forgets takes that are no longer repeated by accident: their button counts from the first one then. */
export async function removeOldTakes(database: Database, now: Integer): Promise<void> {
  await database.write("take-sweep", (tx) => tx.run(removeOld, { before: integer(now - KEPT_MS) }));
}
