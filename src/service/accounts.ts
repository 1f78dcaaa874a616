import type { Audit } from "../accounts/audit-log.js";
import type { Consents } from "../accounts/consent-log.js";
import type { Invites } from "../accounts/invite-book.js";
import type { AccountAdmin } from "../accounts/ledger-store.js";
import type { PromoCodes } from "../accounts/promo-book.js";
import type { Statement } from "../accounts/statement-store.js";
import type { WelcomeCredits } from "../accounts/welcome-credit.js";
import type { ModelSwitches } from "../catalogue/model-overrides.js";
import type { Model } from "../contract/model.js";
import type { PersonalData } from "../gather/personal-data-service.js";
import type { OrderRecords } from "../jobs/order-reader.js";
import type { AccountRecords } from "../ports/account-records.js";
import type { Bans } from "../ports/bans.js";
import type { Connections } from "../ports/connections.js";
import type { AccountKeys } from "../ports/keys.js";
import type { Summaries } from "../ports/summary.js";
import type { Payments } from "../tills/till.js";

export interface ManagedAccounts {
  readonly kind: "managed";
  readonly admin: AccountAdmin;
  readonly audit: Audit;
  readonly bans: Bans;
  readonly records: AccountRecords;
  readonly orders: OrderRecords;
  readonly models: ModelSwitches;
  readonly keys: AccountKeys;
  readonly payments: Payments;
  readonly personalData: PersonalData;
  readonly statement: Statement;
  readonly promo: PromoCodes;
  readonly consents: Consents;
  readonly welcome: WelcomeCredits;
  readonly summaries: Summaries;
  /** Undefined where invitations bring nothing. */
  readonly invites: Invites | undefined;
  readonly refundsFailedJobs: boolean;
}

export interface SharedAccount extends Elsewhere {
  readonly kind: "shared";
}

export interface ConnectedAccounts extends Elsewhere {
  readonly kind: "connected";
  readonly connections: Connections;
  /** Returns the models that a person without an account is shown, as they were read last. */
  catalogue(): readonly Model[];
  /** Returns false when nothing of the order can have been accepted. */
  wasSent(orderId: string): boolean;
}

interface Elsewhere {
  /** True where pictures of the chat cannot be handed on: `publishReference` is refused, links are taken. */
  readonly isLinksOnly: boolean;
}

/** Tells who has the accounts that users spend, and what a front-end can do about them. */
export type ServiceAccounts = ManagedAccounts | SharedAccount | ConnectedAccounts;

/** Tells whether submissions cross a network, so that their outcome may stay unknown. */
export function areElsewhere<T extends ServiceAccounts>(
  accounts: T,
): accounts is Exclude<T, { kind: "managed" }> {
  return accounts.kind !== "managed";
}

/** Tells whether a service elsewhere takes links only, and no pictures of the chat. */
export function areLinksOnly(accounts: ServiceAccounts): boolean {
  return areElsewhere(accounts) && accounts.isLinksOnly;
}
