import type { JobId } from "../../../contract/job.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Order } from "./order.js";

interface OrderJobRow {
  job_id: string;
  order_id: string;
}

declare module "../../../database/schema.js" {
  interface Schema {
    order_job: OrderJobRow;
  }
}

interface OtherOrder {
  order_id: string;
  user_id: number;
}

export const insertOrderJob = prepare<OrderJobRow>((p) =>
  qb
    .insertInto("order_job")
    .values({ job_id: p.job_id, order_id: p.order_id })
    .onConflict((conflict) => conflict.doNothing()),
);
/** Finds the orders of a job: jobs of several accounts elsewhere may have one id. */
export const ordersOfJob = prepare<Pick<OrderJobRow, "job_id">, Pick<OrderJobRow, "order_id">>((p) =>
  qb.selectFrom("order_job").select("order_id").where("job_id", "=", p.job_id),
);
const otherOrders = prepare<OrderJobRow, OtherOrder>((p) =>
  qb
    .selectFrom("order_job")
    .innerJoin("order", "id", "order_id")
    .select(["order_id", "user_id"])
    .where("job_id", "=", p.job_id)
    .where("order_id", "!=", p.order_id),
);

/** Finds the job that belongs to another order; without `isShared` to one of the same person. */
export function takenJob(
  tx: Transaction,
  jobIds: readonly JobId[],
  { id, userId }: Pick<Order, "id" | "userId">,
  isShared: boolean,
): JobId | undefined {
  return jobIds.find((jobId) =>
    tx
      .all(otherOrders, { job_id: String(jobId), order_id: id })
      .some(({ user_id }) => isShared || user_id === userId),
  );
}
