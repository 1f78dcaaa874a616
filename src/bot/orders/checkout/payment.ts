import type { ContractErrorCode, TooManyOrdersError, UnavailableReason } from "../../../contract/errors.js";
import type { Kopecks } from "../../../contract/money.js";
import type { Draft } from "../../card/draft/draft.js";
import type { Order } from "../store/order.js";

/** The outcome of a confirmation. `draft`: the draft to continue with, if any. */
export type Payment =
  | { kind: "accepted"; order: Order; chargedKopecks: Kopecks }
  /** The draft has changed or was already ordered, or the next start continues with the order. */
  | { kind: "stale" }
  | { kind: "no_money"; missingKopecks: Kopecks; draft: Draft | undefined; order: Order }
  | { kind: "price_changed"; draft: Draft | undefined; order: Order }
  /** `isTold`: the person was told of it within the last minute. */
  | {
      kind: "too_many";
      reason: TooManyOrdersError["reason"];
      max: number;
      isTold: boolean;
      draft: Draft | undefined;
      order: Order;
    }
  | { kind: "refused"; code: ContractErrorCode; draft: Draft | undefined; order: Order }
  | { kind: "unavailable"; reason: UnavailableReason; draft: Draft | undefined; order: Order }
  | { kind: "uncertain"; order: Order };
