import { z } from "zod";
import type { JobId } from "../../../contract/job.js";
import type { Kopecks } from "../../../contract/money.js";
import type { Integer } from "../../../platform/integer.js";
import type { Order } from "./order.js";

/** What has become of an order since its person was last told. */
export type PersonNews = "uncertain" | "charged" | "not_charged";

/** The balance around the submission, in kopecks; null where it is not known. A hint, and no proof. */
export interface BalanceHint {
  before: Kopecks | null;
  after: Kopecks | null;
}

/** The record of an order that is or was uncertain. `order.state` tells whether it is settled. */
export interface UncertainOrder {
  /** The short id for admins: 1, 2, 3 … */
  number: number;
  order: Order;
  createdAt: Integer;
  balance: BalanceHint;
  /** Milliseconds since the epoch at which the repeats of its submission end; null where it is not repeated. */
  repeatedUntil: Integer | null;
  /** Null when the person knows the latest state. */
  personNews: PersonNews | null;
  toldAdminIds: readonly number[];
}

export type ChargedOutcome =
  | { kind: "settled"; order: Order }
  /** The order is neither uncertain nor was it settled as not charged. */
  | { kind: "not_uncertain" }
  /** The order was settled as not charged, and its draft was ordered again since. */
  | { kind: "newer" }
  | { kind: "taken"; jobId: JobId };

export const storedAdminIds = z.array(z.number().int());
