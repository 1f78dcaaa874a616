import type { Cost } from "../../../mapping/operation.js";
import type { Attempt } from "./attempt.js";
import { idsOf, type ServiceContext } from "./service-context.js";

/** Limits a cost to this many times what the catalogue expects. */
const FACTOR_MAX = 1000;
/** Limits a cost of which the catalogue expects nothing, or in another currency. */
const AMOUNT_MAX = 1_000_000;

/** Returns what a service says that it asked; where that cannot be, what the catalogue expects. */
export function plausibleCost(
  { logger }: Pick<ServiceContext, "logger">,
  attempt: Attempt,
  told: Cost | undefined,
): Cost | undefined {
  if (!told) return undefined;
  const expected = attempt.operation.cost;
  const isComparable = expected?.currency === told.currency && expected.amount > 0;
  const max = isComparable ? expected.amount * FACTOR_MAX : AMOUNT_MAX;
  if (told.amount >= 0 && told.amount <= max) return told;
  logger.error({ ...idsOf(attempt), told, expected }, "cost told by the service cannot be, not recorded");
  return expected;
}
