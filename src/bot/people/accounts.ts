import type { Model } from "../../contract/model.js";
import type { ServiceAccounts, SharedAccount } from "../../service/accounts.js";
import type { Spending } from "./spending.js";

/** One account that all spend, and what the bot knows of who spent how much of it. */
export interface SpentAccount extends SharedAccount {
  readonly spending: Spending;
}

/** The accounts of the service, as features see them. */
export type BotAccounts = Exclude<ServiceAccounts, { kind: "shared" }> | SpentAccount;

/** Returns the ledger of spending. Undefined where everyone has a balance of their own. */
export function spendingOf(accounts: BotAccounts): Spending | undefined {
  return accounts.kind === "shared" ? accounts.spending : undefined;
}

/** Returns the models that a person without an account is shown. */
export function catalogueOf(accounts: BotAccounts): readonly Model[] {
  return accounts.kind === "connected" ? accounts.catalogue() : [];
}
