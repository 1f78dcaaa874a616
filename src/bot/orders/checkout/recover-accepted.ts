import { isDeepStrictEqual } from "node:util";
import type { Logger } from "../../../platform/logger.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import type { AcceptedSpool, SpooledAcceptance } from "./accepted-spool.js";
import type { Checkout } from "./checkout.js";

interface RecoveryParts {
  orders: OrderStore;
  spool: AcceptedSpool;
  checkout: Pick<Checkout, "record">;
  logger: Logger;
  onAccepted: (order: Order) => void;
  /** Called with the id of an order whose acceptance cannot be true. */
  onUncertain: (orderId: string) => void;
}

/** Reserves room on the disk. Never throws: without it a full disk leaves the job ids in the log only. */
export function reserveSpool({ spool, logger }: Pick<RecoveryParts, "spool" | "logger">): void {
  try {
    spool.reserve();
  } catch (error) {
    logger.warn({ err: error }, "no room reserved for the spool of accepted orders");
  }
}

/** Reads the job ids that an earlier run could not write. Never throws: a claimed order is then uncertain. */
export function readSpooled({ spool, logger }: Pick<RecoveryParts, "spool" | "logger">): SpooledAcceptance[] {
  try {
    const { acceptances, unreadable } = spool.read();
    for (const line of unreadable) logger.error({ line }, "spooled acceptance cannot be read");
    return acceptances;
  } catch (error) {
    logger.error({ err: error }, "spool of accepted orders cannot be read");
    return [];
  }
}

/** Writes each acceptance that its order still lacks, and then removes it from the spool. Never throws. */
export async function recoverAccepted(
  acceptances: readonly SpooledAcceptance[],
  parts: RecoveryParts,
): Promise<void> {
  for (const acceptance of acceptances) {
    const ids = { order_id: acceptance.orderId, job_ids: acceptance.jobIds };
    try {
      const accepted = await apply(acceptance, parts);
      if (accepted) {
        parts.logger.info(ids, "order placed by an earlier run");
        parts.onAccepted(accepted);
      } else if (parts.orders.find(acceptance.orderId)?.state === "uncertain") {
        parts.onUncertain(acceptance.orderId);
      }
      parts.spool.remove(acceptance.orderId);
    } catch (error) {
      parts.logger.error({ ...ids, err: error }, "spooled acceptance not applied");
    }
  }
}

async function apply(
  acceptance: SpooledAcceptance,
  { orders, checkout, logger }: RecoveryParts,
): Promise<Order | undefined> {
  const { orderId, jobIds } = acceptance;
  const order = orders.find(orderId);
  if (order?.state === "claimed" || order?.state === "uncertain") return checkout.record(order, acceptance);
  const state = order?.state ?? "unknown";
  if (!order || !isDeepStrictEqual(order.jobIds, jobIds))
    logger.error({ order_id: orderId, job_ids: jobIds, state }, "spooled acceptance fits no order");
  return undefined;
}
