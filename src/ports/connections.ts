import type { Balance, User } from "./gateway.js";

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

export interface RefusedKey {
  userId: number;
  isCurrent: boolean;
  /** Number of orders that wait for a working key of the same account. */
  openOrders: number;
}

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
