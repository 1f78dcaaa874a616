import { prepare, queryBuilder } from "../../../database/prepared.js";

/** Finds the order of a job. */
interface OrderJobRow {
  job_id: string;
  order_id: string;
}

const qb = queryBuilder<{ order_job: OrderJobRow }>();
export const insertOrderJob = prepare<OrderJobRow>((p) =>
  qb
    .insertInto("order_job")
    .values({ job_id: p.job_id, order_id: p.order_id })
    .onConflict((conflict) => conflict.doNothing()),
);
/** Jobs of several accounts elsewhere may have one id. */
export const ordersOfJob = prepare<Pick<OrderJobRow, "job_id">, Pick<OrderJobRow, "order_id">>((p) =>
  qb.selectFrom("order_job").select("order_id").where("job_id", "=", p.job_id),
);
export const otherOrderOfJob = prepare<OrderJobRow, Pick<OrderJobRow, "order_id">>((p) =>
  qb
    .selectFrom("order_job")
    .select("order_id")
    .where("job_id", "=", p.job_id)
    .where("order_id", "!=", p.order_id),
);
