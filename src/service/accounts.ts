import type { User } from "../accounts/account-store.js";
import type { Accounts } from "../accounts/accounts.js";
import type { AuditLog } from "../accounts/audit-log.js";
import type { InviteBook } from "../accounts/invite-book.js";
import type { ChatKeys } from "../accounts/key-store.js";
import type { ModelOverrides } from "../catalogue/model-overrides.js";
import type { Rates } from "../catalogue/operation.js";
import type { Model } from "../contract/model.js";
import type { Balance } from "../contract/price.js";
import type { PersonalDataService } from "../gather/personal-data-service.js";
import type { OrderReader } from "../jobs/order-reader.js";
import type { PaymentBook } from "../tills/payment-book.js";

export interface EarlierOrders {
  /** Number of orders that are followed and delivered with the earlier key. */
  followed: number;
  /** Number of orders that wait for a working key of that account. */
  waiting: number;
}

export type ConnectOutcome =
  | {
      outcome: "connected";
      balance: Balance;
      /** Number of open orders of this account that waited for a working key. */
      resumed: number;
      earlier: EarlierOrders;
    }
  | { outcome: "refused" }
  /** The outcome when too many keys of this person were refused. This one was not tried. */
  | { outcome: "too_many" };

export type DisconnectOutcome =
  /** Counts orders that are still delivered; the key is kept for them alone until then. */
  { outcome: "disconnected"; openOrders: number } | { outcome: "not_connected" };

/** Keeps accounts of a service elsewhere that people connect with keys of their own. */
export interface Connections {
  /** Checks a key at the service and stores it encrypted. Throws Unavailable when it cannot be checked. */
  connect(user: User, key: string): Promise<ConnectOutcome>;
  /** Finds what looks like a key in a text of the person: like one that is connected, or that was refused. */
  findKey(user: User, text: string): string | undefined;
  disconnect(user: User): Promise<DisconnectOutcome>;
  /** Calls `tell` for each key that stops working, and again later when it rejects. */
  onKeyRefused(tell: (key: RefusedKey) => Promise<void>): void;
}

export interface RefusedKey {
  userId: number;
  isCurrent: boolean;
  /** Number of orders that wait for a working key of the same account. */
  openOrders: number;
}

export interface ManagedAccounts {
  readonly kind: "managed";
  readonly users: Accounts;
  readonly audit: AuditLog;
  readonly orders: OrderReader;
  readonly models: ModelOverrides;
  readonly keys: ChatKeys;
  readonly payments: PaymentBook;
  readonly personalData: PersonalDataService;
  /** Rubles for one unit of a currency that services ask. */
  readonly rates: () => Rates;
  /** Undefined where invitations bring nothing. */
  readonly invites: InviteBook | undefined;
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

/** Returns the models that a person without an account is shown. */
export function catalogueFor(accounts: ServiceAccounts): readonly Model[] {
  return accounts.kind === "connected" ? accounts.catalogue() : [];
}

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
