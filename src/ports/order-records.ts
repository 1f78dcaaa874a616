import type { Failure, JobId, JobStatus } from "../contract/job.js";
import type { Kopecks } from "../contract/money.js";
import type { AttemptState } from "./attempt-states.js";

/** Times are in milliseconds since the epoch. */
export interface OrderAttempt {
  provider: string;
  state: AttemptState;
  submittedAt: number | null;
  acceptedAt: number | null;
  /** Reference of the service, as JSON. */
  ref: string | null;
  /** Why it was refused, failed, or is in doubt. */
  detail: string | null;
}

export interface OrderJob {
  id: JobId;
  status: JobStatus;
  provider: string;
  startedAt: number | null;
  finishedAt: number | null;
  failure: Failure | null;
  attempts: readonly OrderAttempt[];
}

/** A charge or a refund of an order. */
export interface OrderMoney {
  /** Signed: a charge is negative. */
  kopecks: Kopecks;
  at: number;
  actor: string;
}

/** What the core knows of an order. */
export interface OrderRecord {
  /** The oldest first. */
  money: readonly OrderMoney[];
  jobs: readonly OrderJob[];
  /** What `refund` would give back now. */
  refundableKopecks: Kopecks;
}

export interface OrderRefundRequest {
  userId: number;
  orderId: string;
  actor: string;
  reason: string | null;
}

export type OrderRefundOutcome =
  | { kind: "done" | "repeated"; kopecks: Kopecks; balanceKopecks: Kopecks }
  /** Something of it is still being made, and may be refunded by itself. */
  | { kind: "running" }
  | { kind: "nothing" };

/** Shows orders to admins, and gives their money back. */
export interface OrderRecords {
  of(userId: number, orderId: string): OrderRecord;
  /** Gives back what was not given back before, in one ledger entry. At most once an order. */
  refund(request: OrderRefundRequest): Promise<OrderRefundOutcome>;
}
