import { sql } from "kysely";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";

const OPEN = ["accepted", "delivering"] as const;
const submittedElsewhere = () => qb.selectFrom("remote_submission").select("order_id");
const countOpen = (core: "embedded" | "api") =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      // A claimed order that has not been sent yet belongs to no core.
      .where("state", "in", core === "api" ? OPEN : ["claimed", ...OPEN])
      .where("id", core === "api" ? "not in" : "in", submittedElsewhere()),
  );
const ofOtherCore = { embedded: countOpen("embedded"), api: countOpen("api") };

const countSentWith = (isShared: boolean) =>
  prepare<object, { count: number }>(() =>
    qb
      .selectFrom("order")
      .innerJoin("remote_submission", "order_id", "id")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("state", "in", ["claimed", ...OPEN])
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
    .where("state", "in", ["claimed", "uncertain", ...OPEN]),
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
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts the orders that the other core than `core` took. */
  ofOtherCore(core: "embedded" | "api"): number {
    return this.#database.first(ofOtherCore[core], {})?.count ?? 0;
  }

  /** Counts the orders that were sent with people's own keys where they share an account, and the other way round. */
  ofOtherKeys(isShared: boolean): number {
    return this.#database.first(isShared ? ofOwnAccounts : ofSharedAccount, {})?.count ?? 0;
  }

  /** Counts the orders of a connected account, with those of its user that were not sent yet. */
  ofAccount({ id, userId }: { id: number; userId: number }): number {
    const sent = this.#database.first(countOfAccount, { account_id: id })?.count ?? 0;
    return sent + (this.#database.first(countUnsent, { user_id: userId })?.count ?? 0);
  }
}
