import { createHash } from "node:crypto";
import type { Cost, Operation } from "../../../mapping/operation.js";

/** Columns of an attempt that was not sent. */
export const EMPTY = {
  state: "planned",
  ref: null,
  task_id: null,
  late: 0,
  submitted_at: null,
  accepted_at: null,
  due_at: null,
  poll_failures: 0,
  unknown_since: null,
  cost_amount: null,
  cost_currency: null,
  cost_source: null,
  refusal: null,
  detail: null,
  flagged: 0,
  callback_hash: null,
} as const;

/** Columns of an attempt of which the service has made nothing, and charges nothing. */
const UNPAID = { flagged: 0, cost_amount: null, cost_currency: null, cost_source: null } as const;

export const CANCELLED = { state: "cancelled", due_at: null, ...UNPAID } as const;

export function requestColumns(operation: Operation) {
  return {
    endpoint: operation.endpoint,
    operation: JSON.stringify(operation),
    request_hash: hashOf(operation),
  };
}

export function costColumns(cost: Cost | undefined) {
  return {
    cost_amount: cost?.amount ?? null,
    cost_currency: cost?.currency ?? null,
    cost_source: cost?.source ?? null,
  };
}

/** Returns the columns of an attempt that ends without a file. Nothing is charged unless the service says so. */
export function endColumns(cost: Cost | undefined) {
  return cost ? costColumns(cost) : UNPAID;
}

/** Names a request to the operator of the service, such as in a claim. */
export function hashOf({ api, endpoint, input }: Operation): string {
  return createHash("sha256")
    .update(JSON.stringify([api ?? null, endpoint, input]))
    .digest("hex");
}
