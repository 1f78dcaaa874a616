import { Unavailable } from "../../../contract/errors.js";
import type { Failure } from "../../../contract/job.js";
import { type Kopecks, kopecksOf } from "../../../contract/money.js";
import type { Gateway, GatewayJob } from "../../../ports/gateway.js";
import type { Order } from "../store/order.js";
import { failureActions, NO_ACTIONS, type ResultActions, resultActions } from "./result-actions.js";

/** Failures after which another model may make it. */
const MODEL_FAILURES: ReadonlySet<Failure> = new Set(["refused", "provider", "timeout", "memory"]);

/** Chooses what is offered where something was sent, or where nothing was. */
export type OfferedActions = (isAnySent: boolean) => ResultActions;

/** Finds the actions of an order. They are fewer while the list of models is unavailable. */
export async function actionsOf(
  order: Order,
  jobs: readonly GatewayJob[],
  gateway: Gateway,
): Promise<OfferedActions> {
  const models = await unlessUnavailable(gateway.models());
  // A video that is only too large was made.
  const hasFailed = jobs.every(({ status }) => status === "error");
  const isOfModel = jobs.some(({ failure }) => failure !== undefined && MODEL_FAILURES.has(failure));
  return (isAnySent) => {
    if (isAnySent) return models ? resultActions(order, models) : NO_ACTIONS;
    return { ...(models ? failureActions(order, models, isOfModel) : NO_ACTIONS), hasFailed };
  };
}

/** Reads the balance after a refund. Undefined without one, and where it cannot be read. */
export async function balanceAfter(
  gateway: Gateway,
  jobs: readonly GatewayJob[],
  lostRefundKopecks: Kopecks,
): Promise<Kopecks | undefined> {
  if (lostRefundKopecks === 0 && !jobs.some(({ refund }) => refund === "made")) return undefined;
  const balance = await unlessUnavailable(gateway.balance());
  return balance && kopecksOf(balance.amount);
}

async function unlessUnavailable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return undefined;
  }
}
