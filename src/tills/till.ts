import type { Generated, Selectable } from "kysely";
import type { Kopecks } from "../contract/price.js";
import type { Integer } from "../platform/integer.js";
import type { NoticeQueue } from "../ports/operator-notices.js";

/** What a top-up costs and what it brings. */
export interface TopUp {
  /** Whole units of the till's currency: Stars, or kopecks. */
  price: number;
  /** What the balance gets. */
  kopecks: Kopecks;
}

export type InvoiceState = "open" | "paid" | "closed";

/** Written before an invoice is sent. What it says is what a payment brings. */
interface TillInvoiceTable {
  id: Generated<number>;
  till: string;
  /** Random name under which the till reports payments of the invoice. */
  ref: string;
  account_id: number;
  /** Whole units of the till's currency. */
  price: number;
  kopecks: Kopecks;
  state: InvoiceState;
  made_at: Integer;
  /** The message whose button leads to its page. Null where none has one, or the button is gone again. */
  message_id: number | null;
}

export type PaymentState = "credited" | "unmatched" | "refunding" | "refunded";

/** Never deleted. `charge_id` is the only identity of a payment. */
interface TillPaymentTable {
  /** Number that admins and people name it by. */
  id: Generated<number>;
  till: string;
  charge_id: string;
  invoice_id: number | null;
  /** Null while nobody knows whose the money is. */
  account_id: number | null;
  /** Who paid, as the front-end knows them. */
  payer: string | null;
  price: number;
  /** What was credited; null while the payment is held, and for one that never was credited. */
  kopecks: Kopecks | null;
  state: PaymentState;
  paid_at: Integer;
  /** Null until the person was told of the credit. */
  told_at: Integer | null;
  /** How many refunds were begun; part of the keys of their entries. */
  refund_tries: Generated<number>;
  /** What the balance lacked of the running refund, or of what was paid back and told last. */
  owed_kopecks: Generated<Kopecks>;
  /** Named where the price is not in the till's own: such a payment is held, and can only be paid back. */
  currency: string | null;
  /** The part of `price` that was paid back while the rest stands. */
  returned: Generated<number>;
  /** How much of the price the person knows to be paid back, while there is more to tell. Null when all is told. */
  told_returned: number | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    till_invoice: TillInvoiceTable;
    till_payment: TillPaymentTable;
  }
}

export type InvoiceRow = Readonly<Selectable<TillInvoiceTable>>;
/** An invoice with the person whom it is for. */
export type TillInvoice = InvoiceRow & { readonly userId: number };
/** Money that has arrived. */
export type TillPayment = Readonly<Selectable<TillPaymentTable>>;

/** Returns who paid, as far as the till tells. */
export function payerOf({ payer }: Pick<TillPayment, "payer">): number | null {
  return payer === null ? null : Number(payer);
}

/** Returns what people call a payment. Orders are plain numbers: neither can be taken for the other. */
export function paymentName(id: number): string {
  return `P-${id}`;
}

/** Reads the name of a payment as people type it: `P-2`, `p2`, or with the Cyrillic letter. */
export function readPaymentName(text: string): number | undefined {
  const [, digits] = /^[pр]\s*[-\u2010-\u2015\u2212]?\s*(\d{1,12})$/iu.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

export interface NewInvoice extends TopUp {
  till: string;
  /** A person who has an account. */
  userId: number;
  /** An open invoice of the same person and sum is returned again while it is younger, in ms. By default none is. */
  reusedForMs?: number | undefined;
}

/** A payment as the till reports it, maybe again. */
export interface ReportedPayment {
  till: string;
  chargeId: string;
  /** Name of an invoice; another text makes the payment unmatched. */
  invoiceRef: string;
  /** Who paid. Null where the till does not tell: then its invoice alone says whose the money is. */
  userId: number | null;
  price: number;
  /** Named where it is not the till's own. */
  currency?: string | undefined;
  /** How much of the price a refund has brought back by now. By default all of it. */
  returned?: number | undefined;
  /** Milliseconds since the epoch. */
  paidAt: number;
}

export type TakenPayment =
  /** `debtPaidKopecks`: the part of it that paid what the account owed. */
  | { kind: "credited"; payment: TillPayment; debtPaidKopecks: Kopecks }
  /** The payment is held: no invoice says whose money it is. */
  | { kind: "unmatched"; payment: TillPayment }
  | { kind: "repeated"; payment: TillPayment };

export type RefundTaken =
  /**
   * `owedKopecks`: what the balance lacked, and the next top-up pays first. `settled`: the end of a refund that was
   * begun here.
   */
  | { kind: "refunded" | "settled"; payment: TillPayment; owedKopecks: Kopecks }
  /** A part was paid back, and has left the balance. */
  | { kind: "part"; payment: TillPayment; owedKopecks: Kopecks }
  | { kind: "repeated"; payment: TillPayment };

/** What a refund takes from an account, beside what the till pays back. */
export interface RefundShare {
  /** `reward`: what an invitation brought by the payment. */
  of: "payment" | "reward";
  accountId: number;
  kopecks: Kopecks;
  /** The part that the balance lacks now. */
  owedKopecks: Kopecks;
}

export interface RefundRequest {
  paymentId: number;
  actor: string;
  reason: string | null;
  /** True: what the balance lacks becomes a debt. False: the refund is refused. */
  mayOwe: boolean;
}

export type RefundOutcome =
  | { kind: "refunded"; payment: TillPayment; owedKopecks: Kopecks }
  /** It has ended by a report of the till, whose taker tells the person. */
  | { kind: "settled"; payment: TillPayment }
  /** The till does not say yet: the payment stays `refunding`, and the reconciliation settles it. */
  | { kind: "pending"; payment: TillPayment }
  /** The till refuses for good. The balance is as before. */
  | { kind: "refused"; payment: TillPayment; reason: RefundRefusal }
  /** The balance has too little, and nothing may be owed. */
  | { kind: "too_large"; payment: TillPayment; balanceKopecks: Kopecks }
  /** It is being refunded, or was. */
  | { kind: "closed"; payment: TillPayment }
  | { kind: "unknown" };

export interface HeldCredit {
  paymentId: number;
  /** A person who has an account. */
  userId: number;
  kopecks: Kopecks;
  actor: string;
}

type RefundRefusal = "too_old" | "no_funds" | "not_possible";

/** What a till knows of a refund that it was asked for. */
export type RefundAnswer =
  | { kind: "done" }
  | { kind: "refused"; reason: RefundRefusal }
  | { kind: "doubtful"; cause: unknown };

export interface InvoiceWords {
  title: string;
  description: string;
}

/** Number of elements that a notice of what could not be read names. */
const NAMED_MAX = 5;

/** Tells operators what of a till's list could not be read or taken, until a look at it reads all. */
export function tellUnread(
  notices: NoticeQueue,
  till: string,
  unread: readonly string[],
  topic = `unread:${till}`,
): void {
  const names = unread.slice(0, NAMED_MAX).join(", ");
  if (unread.length === 0) notices.end(topic);
  else
    notices.tell(
      { kind: "payments_unread", till, count: unread.length, names },
      { topic, content: unread.join() },
    );
}

/** How a person pays an invoice: in a message that the till has sent, or behind a link. */
export type Presented =
  | { kind: "sent" }
  | { kind: "link"; url: string }
  /** The till does not answer now. The invoice stays, and is offered again. */
  | { kind: "later" }
  /** The invoice can be paid no longer: another one is needed. */
  | { kind: "ended" }
  | { kind: "unavailable" };

/** Names the address that the receipt of a payment goes to. */
export type ReceiptContact = { email: string } | { phone: string };

export interface SumLimits {
  minKopecks: Kopecks;
  maxKopecks: Kopecks;
}

/** A way to pay. Another one is a folder that implements this, and a line in the list of tills. */
export interface Till {
  readonly name: string;
  /** False while nothing is sold: what was paid before is settled all the same. */
  readonly isOn: boolean;
  /** Fixed offers, the cheapest first. */
  readonly packs: readonly TopUp[];
  /** Tells whether a person may name the sum. */
  readonly sellsFreeSums: boolean;
  /** Limits the sums that people name. By default `topUpOf` alone does. */
  readonly limits?: SumLimits;
  /** True where a receipt of the payment is sent to who pays. */
  readonly needsContact?: boolean;
  /** How long an unpaid invoice is shown again instead of another one of the same sum, in ms. */
  readonly invoiceReusedForMs?: number;
  /** Returns a top-up that brings at least `kopecks`, and no more than it must. Undefined where none does. */
  topUpOf(kopecks: Kopecks): TopUp | undefined;
  /** Returns what a price is worth now, for a payment without an invoice. */
  worthOf(price: number): Kopecks | undefined;
  /** Offers an invoice to its person. Its row is written already. May be repeated for the same invoice. */
  present(invoice: TillInvoice, words: InvoiceWords, contact?: ReceiptContact): Promise<Presented>;
  /** Pays back what is left of a payment. May be repeated: a payment that was paid back is `done`. Never rejects. */
  refund(payment: TillPayment): Promise<RefundAnswer>;
}

/** What a till has learnt of money that has moved. */
export interface TillReport {
  kind: "payment" | "refund";
  report: ReportedPayment;
}

/** Takes what a till reports: writes it, and has people and operators told. */
export interface TillHost {
  /** Resolves when the report is written, also for one that was taken before. It does not wait for messages. */
  take(report: TillReport): Promise<void>;
  /** Has people told that they have not paid: those of invoices that are closed by now. */
  tellUnpaid(): void;
  /** Returns where a person's receipts go. */
  contactOf(userId: number): ReceiptContact | undefined;
  /** The address that people are sent to after they have paid elsewhere. */
  returnUrl: string;
}

/** A till that looks for its payments by itself, between `start` and `stop`. */
export interface WatchingTill extends Till {
  start(host: TillHost): void;
  stop(): Promise<void>;
}

/** Takes what tills call when money has moved: hints to ask them now, of which nothing is believed. */
export interface TillHooks {
  /** Takes a call with the token of its address and its body. Returns at once and never throws, whoever has called. */
  take(till: string, token: string, body: unknown): void;
}
