import type { Kopecks } from "../contract/price.js";
import type { Transaction } from "../database/database.js";

/** Why an upstream takes nothing until somebody acts. */
export type PauseReason = "no_credit" | "locked" | "key_refused";

/**
 * What operators are told. Each kind has its words as `notice-<kind>` in the locales, with the fields as arguments.
 * `user` is an id, or a dash: notices are stored, and a name is looked up when it is told.
 */
export type OperatorNotice =
  /** The service elsewhere lists more models than a chat can show. */
  | { kind: "models_cut"; shown: number; all: number }
  /** The balance at a service is below what its tasks of the last 24 hours cost. */
  | { kind: "credit_low"; provider: string; currency: string; balance: number; spent: number }
  /** The data is that of a backup. `date` is in UTC. `lost`: attempts that were sent after it; -1 where nobody knows. */
  | { kind: "restored"; date: string; open: number; lost: number }
  /** A backup failed, the first after a good one. */
  | { kind: "backup_failed"; reason: string }
  /** What is sold below what a service asks for it, in kopecks; `more` prices are not named. */
  | { kind: "prices_below_cost"; losses: readonly PriceBelowCost[]; more: number }
  /** The rates that costs are computed with were looked up long ago. */
  | { kind: "rates_old"; days: number }
  /** Jobs of a model have failed one after the other, for no reason of their requests. */
  | { kind: "failures"; model: string; count: number }
  /** A service takes no tasks. Admins have a message of their own, with a button. */
  | { kind: "provider_away"; provider: string; reason: PauseReason | "throttled" | "unreachable" }
  | { kind: "provider_back"; provider: string }
  /** Nobody knows whether an order was accepted elsewhere. Admins have a message of their own, with buttons. */
  | { kind: "order_uncertain"; number: number; model: string }
  | { kind: "new_person"; user: string }
  | { kind: "sale"; model: string; kopecks: Kopecks; origin: "api" | "bot" }
  /** The bot cannot write to the event chat. */
  | { kind: "events_lost" }
  /** Money has arrived that no invoice explains. */
  | {
      kind: "payment_held";
      number: number;
      till: string;
      price: number;
      currency: string | null;
      user: string;
    }
  /** A payment was paid back without this service. `owed`: rubles that the balance lacked. */
  | {
      kind: "payment_refunded";
      number: number;
      till: string;
      price: number;
      currency: string | null;
      user: string;
      owed: number;
    }
  /** A part of a payment was paid back without this service, `refunded` in all, and has left the balance. */
  | {
      kind: "payment_partly_refunded";
      number: number;
      till: string;
      price: number;
      currency: string | null;
      refunded: number;
      user: string;
      /** Rubles that the balance lacked. */
      owed: number;
    }
  /** A refund was begun long ago, and its till does not say that it has ended. */
  | { kind: "refund_waits"; number: number; till: string; price: number; user: string }
  /** What a list of payments has and nobody could read. `names`: the first of them. */
  | { kind: "payments_unread"; till: string; count: number; names: string }
  /** The service of a till refuses to make payments. */
  | { kind: "till_refuses"; till: string; status: number; code: string };

/** A price that is below its cost, and the cost, which would cover it. */
export interface PriceBelowCost {
  title: string;
  service: string;
  price: number;
  cost: number;
}

/** Names what is told once: a notice of the same content is not repeated, also by another process. */
export interface Once {
  topic: string;
  content: string;
  /** Time after which the same content is news again, in ms. */
  againAfterMs?: number;
}

type TellNotice = (notice: OperatorNotice, once: Once | undefined, tx: Transaction | undefined) => void;
type EndNotice = (topic: string) => void;

/** Tells operators of what they should look into, as soon as somebody delivers it: parts start before the bot. */
export class NoticeQueue {
  #waiting: (() => void)[] = [];
  #deliver: { tell: TellNotice; end: EndNotice } | undefined;

  /** Never throws, unless it is told in a transaction: then it is lost with that alone. */
  tell(notice: OperatorNotice, once?: Once, tx?: Transaction): void {
    if (this.#deliver) this.#deliver.tell(notice, once, tx);
    else this.#wait(() => this.tell(notice, once));
  }

  /** Ends what was told once: it is no longer so, and is told anew when it comes back. */
  end(topic: string): void {
    if (this.#deliver) this.#deliver.end(topic);
    else this.#wait(() => this.end(topic));
  }

  /** Passes on what waits, and all that follows. */
  deliverBy(tell: TellNotice, end: EndNotice = () => {}): void {
    this.#deliver = { tell, end };
    for (const pass of this.#waiting.splice(0)) pass();
  }

  #wait(pass: () => void): void {
    if (this.#waiting.length < WAITING_MAX) this.#waiting.push(pass);
  }
}

/** Bounds what a service without a bot keeps. */
const WAITING_MAX = 100;
