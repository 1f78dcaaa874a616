import type { Database } from "../../../database/database.js";
import { prepare, queryBuilder } from "../../../database/prepared.js";
import type { Integer } from "../../../platform/integer.js";
import { setStatusMessage } from "./order-table.js";

/** Stages in the order in which an order passes them: it never goes back. */
export const STAGES = ["sent", "queued", "made"] as const;
export type Stage = (typeof STAGES)[number];

/** A stage after the first one, and since when it is known, in ms. */
export interface Reached {
  stage: Exclude<Stage, "sent">;
  since: Integer;
}

interface ProgressRow extends Reached {
  order_id: string;
}

const qb = queryBuilder<{ order_progress: ProgressRow }>();
const selectOne = prepare<{ id: string }, ProgressRow>((p) =>
  qb.selectFrom("order_progress").selectAll().where("order_id", "=", p.id),
);
const saveOne = prepare<ProgressRow>((p) =>
  qb
    .insertInto("order_progress")
    .values({ order_id: p.order_id, stage: p.stage, since: p.since })
    .onConflict((conflict) =>
      conflict.column("order_id").doUpdateSet((eb) => ({
        stage: eb.ref("excluded.stage"),
        since: eb.ref("excluded.since"),
      })),
    ),
);
export const deleteProgress = prepare<{ id: string }>((p) =>
  qb.deleteFrom("order_progress").where("order_id", "=", p.id),
);

/** Keeps what was said of the progress of running orders, so that a restart neither forgets nor contradicts it. */
export class OrderProgress {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(orderId: string): Reached | undefined {
    const row = this.#database.first(selectOne, { id: orderId });
    return row && { stage: row.stage, since: row.since };
  }

  /** Sets the status message of an order that has no card to become it. */
  async setMessage(orderId: string, messageId: number): Promise<void> {
    const change = { id: orderId, status_message_id: messageId };
    await this.#database.write("order-status", (tx) => tx.run(setStatusMessage, change));
  }

  async save(orderId: string, { stage, since }: Reached): Promise<void> {
    await this.#database.writeLazily("order-progress", (tx) =>
      tx.run(saveOne, { order_id: orderId, stage, since }),
    );
  }
}
