import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

interface ProgressRow {
  order_id: string;
  stage: "queued" | "made";
  /** Milliseconds since the epoch at which that became known. */
  since: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    order_progress: ProgressRow;
  }
}

export const selectProgress = prepare<{ id: string }, ProgressRow>((p) =>
  qb.selectFrom("order_progress").selectAll().where("order_id", "=", p.id),
);
export const saveProgress = prepare<ProgressRow>((p) =>
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
