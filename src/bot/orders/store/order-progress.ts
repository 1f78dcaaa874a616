import type { Database } from "../../../database/database.js";
import type { Integer } from "../../../platform/integer.js";
import { saveProgress, selectProgress } from "./order-progress-table.js";
import { setStatusMessage } from "./order-table.js";

/** Stages in the order in which an order passes them: it never goes back. */
export const STAGES = ["sent", "queued", "made"] as const;
export type Stage = (typeof STAGES)[number];

/** A stage after the first one, and the milliseconds since the epoch at which it was reached. */
export interface Reached {
  stage: Exclude<Stage, "sent">;
  since: Integer;
}

/** Keeps what was said of the progress of running orders, so that a restart neither forgets nor contradicts it. */
export class OrderProgress {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(orderId: string): Reached | undefined {
    const row = this.#database.first(selectProgress, { id: orderId });
    return row && { stage: row.stage, since: row.since };
  }

  /** Sets the status message of an order that has no card to become it. */
  async setMessage(orderId: string, messageId: number): Promise<void> {
    const change = { id: orderId, status_message_id: messageId };
    await this.#database.write("order-status", (tx) => tx.run(setStatusMessage, change));
  }

  async save(orderId: string, { stage, since }: Reached): Promise<void> {
    await this.#database.writeLazily("order-progress", (tx) =>
      tx.run(saveProgress, { order_id: orderId, stage, since }),
    );
  }
}
