import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";

interface FinalStatusRow {
  order_id: string;
  is_done: number;
}

declare module "../../../database/schema.js" {
  interface Schema {
    final_status: FinalStatusRow;
  }
}

export const insertFinalStatus = prepare<FinalStatusRow>((p) =>
  qb
    .insertInto("final_status")
    .values({ order_id: p.order_id, is_done: p.is_done })
    .onConflict((conflict) => conflict.column("order_id").doNothing()),
);
export const allFinalStatuses = prepare<object, FinalStatusRow>(() =>
  qb.selectFrom("final_status").selectAll(),
);
export const deleteFinalStatus = prepare<{ id: string }>((p) =>
  qb.deleteFrom("final_status").where("order_id", "=", p.id),
);
