import type { Balance, User } from "./gateway.js";

/** What becomes of the orders that were made with an earlier account of the person. */
export interface EarlierOrders {
  /** Are followed and delivered with the earlier key. */
  followed: number;
  /** Wait for a working key of that account. */
  waiting: number;
}

export type ConnectOutcome =
  | {
      outcome: "connected";
      balance: Balance;
      /** Open orders of this account that waited for a working key. */
      resumed: number;
      earlier: EarlierOrders;
    }
  /** The service does not take the key. Nothing was changed. */
  | { outcome: "refused" }
  /** Too many keys of this person were refused. This one was not tried. */
  | { outcome: "too_many" };

export type DisconnectOutcome =
  /** `openOrders`: they are still delivered; the key is kept for them alone until then. */
  { outcome: "disconnected"; openOrders: number } | { outcome: "not_connected" };

/** A key that stopped working. */
export interface RefusedKey {
  userId: number;
  /** False for a key that is kept for open orders only. */
  isCurrent: boolean;
  /** Orders that wait for a working key of the same account. */
  openOrders: number;
}

/** Accounts of a service elsewhere that people connect with keys of their own. */
export interface Connections {
  /** Checks a key at the service and stores it encrypted. Throws Unavailable when it cannot be checked. */
  connect(user: User, key: string): Promise<ConnectOutcome>;
  /** What looks like a key in a text of the person: like one that is connected, or that was refused. */
  findKey(user: User, text: string): string | undefined;
  disconnect(user: User): Promise<DisconnectOutcome>;
  /** `tell` is called for each key that stops working, and again later when it rejects. */
  onKeyRefused(tell: (key: RefusedKey) => Promise<void>): void;
}
