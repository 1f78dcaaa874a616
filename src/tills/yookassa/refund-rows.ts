import { type Selectable, sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { YookassaRefundTable } from "./yookassa-table.js";

export type RefundRow = Selectable<YookassaRefundTable>;

type State = YookassaRefundTable["state"];
type NewRefund = Pick<RefundRow, "payment_id" | "kopecks" | "idempotence_key" | "made_at">;

/** A literal, as the partial index has it. */
const OPEN = sql.lit<State>("open");

const selectOpen = prepare<{ payment_id: string }, RefundRow>((p) =>
  qb
    .selectFrom("yookassa_refund")
    .selectAll()
    .where("payment_id", "=", p.payment_id)
    .where("state", "=", OPEN),
);
const insert = prepare<NewRefund>((p) =>
  qb.insertInto("yookassa_refund").values({
    payment_id: p.payment_id,
    kopecks: p.kopecks,
    idempotence_key: p.idempotence_key,
    state: OPEN,
    refund_id: null,
    made_at: p.made_at,
  }),
);
const name = prepare<{ id: number; refund_id: string }>((p) =>
  qb.updateTable("yookassa_refund").set({ refund_id: p.refund_id }).where("id", "=", p.id),
);
const end = prepare<{ id: number; state: State }>((p) =>
  qb.updateTable("yookassa_refund").set({ state: p.state }).where("id", "=", p.id),
);

export const YOOKASSA_REFUND_QUERIES = { selectOpen };

/** Rows of refunds that were asked for here: at most one of a payment is open. */
export class RefundRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  open(paymentId: string): RefundRow | undefined {
    return this.#database.first(selectOpen, { payment_id: paymentId });
  }

  /** Returns the open refund of a payment, which is written where there is none. */
  begin(refund: NewRefund): Promise<RefundRow> {
    return this.#database.write("yookassa:refund", (tx) => {
      const known = tx.first(selectOpen, { payment_id: refund.payment_id });
      if (known) return known;
      const id = tx.insert(insert, refund);
      return { ...refund, id, state: "open", refund_id: null };
    });
  }

  async name(id: number, refundId: string): Promise<void> {
    await this.#database.write("yookassa:refund-named", (tx) => tx.run(name, { id, refund_id: refundId }));
  }

  async end(id: number, state: "done" | "refused"): Promise<void> {
    await this.#database.write("yookassa:refund-end", (tx) => tx.run(end, { id, state }));
  }
}
