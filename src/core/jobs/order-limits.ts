import { sql } from "kysely";
import { TooManyOrdersError } from "../../contract/errors.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import { type Integer, integer } from "../../platform/integer.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { Origin } from "./job-table.js";

/** Numbers of orders that a person of the chat may have; 0: any number. Orders of the API are not counted. */
export interface OrderLimits {
  activeMax: number;
  perMinuteMax: number;
}

// The conditions of the partial indexes, as literals: the planner ignores the indexes otherwise.
const BY_CHAT = sql.lit<Origin>("bot");
const UNFINISHED = [sql.lit("queued" as const), sql.lit("generating" as const)];

const countActive = prepare<{ accountId: number }, { orders: number }>((p) =>
  qb
    .selectFrom("job")
    .select((eb) => eb.fn.count<number>("order_id").distinct().as("orders"))
    .where("account_id", "=", p.accountId)
    .where("origin", "=", BY_CHAT)
    .where("status", "in", UNFINISHED),
);
const countSince = prepare<{ accountId: number; since: Integer }, { orders: number }>((p) =>
  qb
    .selectFrom("job")
    .select((eb) => eb.fn.countAll<number>().as("orders"))
    .where("account_id", "=", p.accountId)
    .where("origin", "=", BY_CHAT)
    .where("order_index", "=", sql.lit(0))
    .where("created_at", ">", p.since),
);

/** A test checks that each of these uses its index. */
export const ORDER_LIMIT_QUERIES = { countActive, countSince };

/** Throws TooManyOrdersError where one more order of the account is too many. */
export function requireRoomForOrder(
  source: Transaction | Database,
  accountId: number,
  at: Integer,
  { activeMax, perMinuteMax }: OrderLimits,
): void {
  const active = activeMax > 0 ? (source.first(countActive, { accountId })?.orders ?? 0) : 0;
  if (activeMax > 0 && active >= activeMax) throw new TooManyOrdersError("active", activeMax);
  if (perMinuteMax === 0) return;
  const recent = source.first(countSince, { accountId, since: integer(at - MINUTE_MS) })?.orders ?? 0;
  if (recent >= perMinuteMax) throw new TooManyOrdersError("minute", perMinuteMax);
}
