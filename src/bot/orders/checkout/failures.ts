import { ContractError, PriceChanged, Unavailable, UncertainOutcome } from "../../../contract/errors.js";
import { isConstraint } from "../../../database/errors.js";
import { areElsewhere, type ServiceAccounts } from "../../../ports/accounts.js";
import { JobTakenError } from "../store/job-taken-error.js";

/** Tells whether the same write would fail again. */
export function isFinal(error: unknown): boolean {
  return error instanceof JobTakenError || isConstraint(error);
}

/** Tells whether the order may be charged: an unknown fault of a submission over a network proves nothing. */
export function isDoubtful(error: unknown, accounts: ServiceAccounts): boolean {
  if (error instanceof UncertainOutcome) return true;
  const isKnown =
    error instanceof ContractError || error instanceof PriceChanged || error instanceof Unavailable;
  return !isKnown && areElsewhere(accounts);
}
