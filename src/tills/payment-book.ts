import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Accounts } from "../accounts/accounts.js";
import { recordAct } from "../accounts/audit-log.js";
import {
  INVITE_REASONS,
  type InviteSums,
  restoreReward,
  rewardOfPayment,
  takeBackReward,
} from "../accounts/invite-book.js";
import {
  balanceOf,
  entriesAfter,
  giveBack,
  lastIdBefore,
  SERVICE_ACTOR,
  takeBack,
} from "../accounts/ledger-store.js";
import { asKopecks, type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../contract/price.js";
import type { Database, Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb, type RowOf } from "../database/prepared.js";
import { lessThan, moreThan, not, table } from "../database/table.js";
import type { Period } from "../platform/clock.js";
import { type Integer, integer } from "../platform/integer.js";
import { gauge, type Metric } from "../platform/metric.js";
import { DAY_MS } from "../platform/units.js";
import { insertPayment, keptOf, movePayment, payments, paymentsOfAccount } from "./payment-store.js";
import { type ArrivedPayment, creditTopUp, reportedColumns, takePayment } from "./take-payment.js";
import type {
  HeldCredit,
  InvoiceRow,
  NewInvoice,
  RefundAnswer,
  RefundOutcome,
  RefundRequest,
  RefundShare,
  RefundTaken,
  ReportedPayment,
  TakenPayment,
  Till,
  TillInvoice,
  TillPayment,
} from "./till.js";
import { ENTRY_REASONS, tillEntry, tillOfActor } from "./till-entries.js";

/** What came in by one till: top-ups, and what was taken back for payments that were refunded, debts included. */
export interface TillSum {
  till: string;
  paid: Kopecks;
  returned: Kopecks;
}

/**
 * What came to balances in a period, real money apart from what was given. What is taken back and becomes a debt counts
 * at once, and what pays the debt later does not.
 */
export interface MoneyIn {
  /** Tills whose money moved, ordered by name. */
  tills: readonly TillSum[];
  /** The sums over all tills. */
  paid: Kopecks;
  returned: Kopecks;
  /** Welcome credits and promo codes. */
  gifts: Kopecks;
  /** Rewards for invitations, without what was taken back. */
  rewards: Kopecks;
  /** Credits of admins without their debits. */
  corrections: Kopecks;
}

/** Limits the ids looked at per turn of the event loop (about 1 ms). */
const CHUNK_IDS = 4000;

interface Range {
  after: number;
  upTo: number;
  from: Integer;
  until: Integer;
}

const selectMoneyIn = prepare((p: Range) =>
  qb
    .selectFrom("ledger_entry")
    .select((eb) => ["actor", "reason", eb.fn.sum<Kopecks>("amount").as("amount")])
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.until)
    .where("kind", "in", [sql.lit("credit" as const), sql.lit("debit" as const)])
    .groupBy("actor")
    .groupBy("reason"),
);
const selectLastEntry = prepare<object, { id: number }>(() =>
  qb.selectFrom("ledger_entry").select("id").orderBy("id", "desc").limit(sql.lit(1)),
);

const selectOwed = prepare((p: Omit<Range, "after" | "upTo">) =>
  qb
    .selectFrom("till_debt_entry")
    .select(["actor", "reason", "amount"])
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.until),
);

/** Its amount is negative for what left balances. */
type MovedMoney = RowOf<typeof selectOwed>;

export const MONEY_IN_QUERIES = { selectMoneyIn };
/** Kept apart from the others: it reads another index. */
export const OWED_QUERIES = { selectOwed };

/** Sums what the ledger says of a period, in turns of the event loop. */
export async function readMoneyIn(database: Database, period: Period): Promise<MoneyIn> {
  const lastId = database.first(selectLastEntry, {})?.id ?? 0;
  const next = (after: number) => entriesAfter(database, after, 1)[0];
  const [from, until] = [integer(period.from), integer(period.until)];
  const tills = new Map<string, TillSum>();
  const given = { gifts: NO_KOPECKS, rewards: NO_KOPECKS, corrections: NO_KOPECKS };
  const add = ({ actor, reason, amount }: MovedMoney) => {
    const till = tillOfActor(actor);
    if (till === undefined) {
      const kind = givenAs(actor, reason);
      given[kind] = asKopecks(given[kind] + amount);
      return;
    }
    const known = tills.get(till) ?? { till, paid: NO_KOPECKS, returned: NO_KOPECKS };
    if (reason === ENTRY_REASONS.paid) tills.set(till, { ...known, paid: asKopecks(known.paid + amount) });
    if (reason === ENTRY_REASONS.refunded || reason === ENTRY_REASONS.kept)
      tills.set(till, { ...known, returned: asKopecks(known.returned - amount) });
  };
  for (const owed of database.all(selectOwed, { from, until })) add(owed);
  for (let after = lastIdBefore(period.from, { lastId, next }); after < lastId; await setImmediate()) {
    const upTo = Math.min(lastId, after + CHUNK_IDS);
    for (const moved of database.all(selectMoneyIn, { after, upTo, from, until })) add(moved);
    after = upTo;
  }
  const sums = [...tills.values()].sort((a, b) => (a.till < b.till ? -1 : 1));
  const total = (of: "paid" | "returned") => asKopecks(sums.reduce((sum, one) => sum + one[of], 0));
  return { tills: sums, paid: total("paid"), returned: total("returned"), ...given };
}

function givenAs(actor: string, reason: string | null): "gifts" | "rewards" | "corrections" {
  if (actor !== SERVICE_ACTOR) return "corrections";
  return reason === INVITE_REASONS.earned || reason === INVITE_REASONS.takenBack ? "rewards" : "gifts";
}

/** Shows the payments that wait: held ones for an admin, refunds for their end. */
export function tillMetrics(database: Database): Metric[] {
  const waiting = {
    unmatched: payments.all(database, { state: "unmatched" }),
    refunding: payments.all(database, { state: "refunding" }),
  };
  return [
    gauge(
      "atelier_payments_waiting",
      "Payments that are held for an admin (unmatched), or whose refund has not ended (refunding)",
      Object.entries(waiting).flatMap(([state, rows]) =>
        [...Map.groupBy(rows, ({ till }) => till)].map(([till, of]) => ({
          labels: { till, state },
          value: of.length,
        })),
      ),
    ),
  ];
}

const invoices = table("till_invoice", ["state"]);

/** Begins each name of an invoice. */
const REF = "t1:";
/** Open invoices that an account keeps; older ones are closed. */
const OPEN_MAX = 20;
/** How long invoices that nobody paid are kept. */
const UNPAID_KEPT_MS = 30 * DAY_MS;

/** Writes what others keep of a report, in the transaction that takes it. */
type Note<Taken> = (taken: Taken, tx: Transaction) => void;

/** Invoices and payments of all tills, with their money: a payment and its entry are written together. */
export class PaymentBook {
  /** Payments whose refund a till is being asked about. Asked again meanwhile, it could pay back what was undone. */
  readonly #asked = new Set<number>();

  /** @param inviteSums undefined where invitations bring nothing */
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
    private readonly inviteSums: InviteSums | undefined,
  ) {}

  /** Writes the row of an invoice, before anything is sent. */
  openInvoice({ till, userId, price, kopecks, reusedForMs = 0 }: NewInvoice): Promise<TillInvoice> {
    const { clock, ids } = this.ground;
    return this.#write("invoice", (tx) => {
      const made_at = clock.now();
      const account_id = this.accounts.known(userId, tx);
      const since = integer(made_at - reusedForMs);
      const [alike] = invoices.all(
        tx,
        { account_id, state: "open", till, price, kopecks, made_at: moreThan(since) },
        { orderBy: ["id desc"], limit: 1 },
      );
      if (alike && reusedForMs > 0) return { ...alike, userId };
      const shared = { till, account_id, price, kopecks, made_at };
      const row = { ...shared, ref: REF + ids.secret(), state: "open", message_id: null } as const;
      const id = invoices.insert(tx, row);
      const newestOpen = invoices.all(tx, { account_id, state: "open" }, { orderBy: ["id desc"] });
      // One that is closed can still be paid.
      for (const oldest of newestOpen.slice(OPEN_MAX))
        invoices.update(tx, { id: oldest.id }, { state: "closed", message_id: null });
      return { ...row, id, userId };
    });
  }

  invoice(till: string, ref: string): TillInvoice | undefined {
    const row = invoices.get(this.ground.database, { till, ref });
    return row && this.#invoiceOf(row);
  }

  /** Closes an invoice that was not paid, which its message has yet to say where it has one: see `ended`. */
  async closeInvoice(id: number): Promise<void> {
    await this.#write("invoice-close", (tx) =>
      invoices.update(tx, { id, state: "open" }, { state: "closed" }),
    );
  }

  /** Notes the message that leads to the page of an invoice. */
  async showInvoice(id: number, messageId: number): Promise<void> {
    await this.#write("invoice-shown", (tx) => invoices.update(tx, { id }, { message_id: messageId }));
  }

  /** Returns invoices that were paid or have failed, and whose messages do not say so yet. */
  ended(till: string, limit: number): TillInvoice[] {
    const oldest = { orderBy: ["id"], limit } as const;
    return invoices
      .all(this.ground.database, { till, state: not("open"), message_id: not(null) }, oldest)
      .flatMap((row) => this.#invoiceOf(row) ?? []);
  }

  #invoiceOf(row: InvoiceRow): TillInvoice | undefined {
    const userId = this.accounts.userOf(row.account_id);
    return userId === undefined ? undefined : { ...row, userId };
  }

  /** Notes that the message of an invoice has no button any more. */
  async markEndTold({ id, message_id }: TillInvoice): Promise<void> {
    await this.#write("invoice-told", (tx) => invoices.update(tx, { id, message_id }, { message_id: null }));
  }

  /** Credits a payment by the row of its invoice, or holds it. `note` writes along what became of it. */
  async take(payment: ReportedPayment, note: Note<TakenPayment> = () => {}): Promise<TakenPayment> {
    const { clock, logger } = this.ground;
    const taken = await this.#write("payment", (tx) => {
      const taken = takePayment(tx, this.#arrived(tx, payment), clock.now(), this.inviteSums);
      note(taken, tx);
      return taken;
    });
    logger.info({ ...idsOf(taken.payment), outcome: taken.kind }, "payment taken");
    return taken;
  }

  /** Records a refund that the till reports, also one that nobody here asked for. `note` writes along what it was. */
  async takeRefund(refund: ReportedPayment, note: Note<RefundTaken> = () => {}): Promise<RefundTaken> {
    const { clock, logger } = this.ground;
    const taken = await this.#write("payment-refund", (tx) => {
      const taken = takeRefund(tx, this.#arrived(tx, refund), clock.now());
      note(taken, tx);
      return taken;
    });
    logger.info({ ...idsOf(taken.payment), outcome: taken.kind }, "refund of a payment taken");
    return taken;
  }

  /** Debits the balance, then asks the till, and settles by its answer. */
  async refund(request: RefundRequest, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    const { clock, logger } = this.ground;
    const begun = await this.#write("refund-begin", (tx) => {
      const row = payments.get(tx, { id: request.paymentId });
      return row && beginRefund(tx, row, request, clock.now());
    });
    if (!begun) return { kind: "unknown" };
    const { kind: outcome, payment } = begun;
    logger.info({ ...idsOf(payment), actor: request.actor, outcome }, "refund of a payment");
    return begun.kind === "begun" ? this.#finish(payment, till) : begun;
  }

  /** Asks the till again about each refund whose end is not known. */
  async settleRefunds(till: Pick<Till, "name" | "refund">): Promise<readonly RefundOutcome[]> {
    const { database } = this.ground;
    const outcomes: RefundOutcome[] = [];
    const begun = { state: "refunding", till: till.name } as const;
    for (const { id } of payments.all(database, begun, { orderBy: ["id"] })) {
      // While others were asked about, this one may have ended, and its money may be on the balance again.
      const row = payments.get(database, { id });
      if (row?.state === "refunding" && !this.#asked.has(id)) outcomes.push(await this.#finish(row, till));
    }
    return outcomes;
  }

  /** Credits a held payment to a person. Undefined for one that is not held. */
  async creditHeld({ paymentId, userId, kopecks, actor }: HeldCredit): Promise<TakenPayment | undefined> {
    const at = this.ground.clock.now();
    return this.#write("payment-held", (tx): TakenPayment | undefined => {
      const row = payments.get(tx, { id: paymentId });
      // A sum in another currency is worth nothing that a balance could have.
      if (row?.state !== "unmatched" || row.currency !== null) return undefined;
      const accountId = this.accounts.known(userId, tx);
      const before = { kopecks: balanceOf(tx, accountId) };
      const moved = movePayment(tx, row, "credited", { account_id: accountId, kopecks });
      // A part of it may be back with the payer already.
      const topUp = { paymentId: row.id, accountId, kopecks: keptOf(moved), at };
      const debtPaidKopecks = creditTopUp(tx, moved, topUp, this.inviteSums);
      const after = { kopecks: balanceOf(tx, accountId) };
      const subject = `payment:${row.id}`;
      recordAct(tx, { actor, act: "credit", accountId, subject, before, after, at });
      return { kind: "credited", payment: moved, debtPaidKopecks };
    });
  }

  /** Tells what a refund of a payment, of what is left of it, would take from whom now. */
  sharesOf(paymentId: number): RefundShare[] {
    const { database } = this.ground;
    const row = payments.get(database, { id: paymentId });
    return row ? refundShares(database, row) : [];
  }

  byId(id: number): TillPayment | undefined {
    return payments.get(this.ground.database, { id });
  }

  byCharge(till: string, chargeId: string): TillPayment | undefined {
    return payments.get(this.ground.database, { till, charge_id: chargeId });
  }

  byAnyCharge(chargeId: string): TillPayment | undefined {
    return payments.get(this.ground.database, { charge_id: chargeId });
  }

  /** Returns the newest payments of a person. */
  ofUser(userId: number, limit: number): TillPayment[] {
    const { database } = this.ground;
    const accountId = this.accounts.find(userId);
    return accountId === undefined ? [] : paymentsOfAccount(database, accountId, limit);
  }

  /** Returns credited payments that their persons were not told of, the oldest first. */
  untold(till: string, limit: number): TillPayment[] {
    const untold = { state: "credited", told_at: null, till } as const;
    return payments.all(this.ground.database, untold, { orderBy: ["id"], limit });
  }

  async markTold(paymentId: number): Promise<void> {
    const { clock } = this.ground;
    const untold = { id: paymentId, told_at: null };
    await this.#write("payment-told", (tx) => payments.update(tx, untold, { told_at: clock.now() }));
  }

  /** Returns payments that were paid back, whole or in part, and whose persons were not told of it, the oldest first. */
  untoldReturns(till: string, limit: number): TillPayment[] {
    const untold = { till, told_returned: not(null) } as const;
    return payments.all(this.ground.database, untold, { orderBy: ["id"], limit });
  }

  /** Notes that the person knows what of a payment was paid back. What was since is left to tell. */
  async markReturnTold({ id, state, returned }: TillPayment): Promise<void> {
    await this.#write("return-told", (tx) => {
      const now = payments.get(tx, { id });
      const isAll = now?.returned === returned && (now.state === "refunded") === (state === "refunded");
      payments.update(tx, { id }, { told_returned: isAll ? null : returned });
    });
  }

  /** Removes old invoices that nobody paid. */
  async sweep(now: number): Promise<void> {
    await this.#write("invoice-sweep", (tx) =>
      invoices.delete(tx, { state: not("paid"), made_at: lessThan(now - UNPAID_KEPT_MS) }),
    );
  }

  /** Asks the till about a refund that has begun. A crash before its end leaves it `refunding`. */
  async #finish(payment: TillPayment, till: Pick<Till, "refund">): Promise<RefundOutcome> {
    this.#asked.add(payment.id);
    try {
      return await this.#end(payment, await till.refund(payment));
    } finally {
      this.#asked.delete(payment.id);
    }
  }

  async #end(asked: TillPayment, answer: RefundAnswer): Promise<RefundOutcome> {
    const { clock, logger } = this.ground;
    if (answer.kind === "doubtful") {
      logger.warn({ ...idsOf(asked), err: answer.cause }, "refund of a payment not known to have ended");
      return { kind: "pending", payment: asked };
    }
    const ended = await this.#write("refund-end", (tx) => endRefund(tx, asked.id, answer, clock.now()));
    logger.info({ ...idsOf(asked), outcome: ended.payment.state }, "refund of a payment ended");
    return ended;
  }

  #arrived(tx: Transaction, payment: ReportedPayment): ArrivedPayment {
    const { userId } = payment;
    const payerAccountId = userId === null ? undefined : this.accounts.find(userId, tx);
    return { ...payment, payerAccountId };
  }

  #write<T>(label: string, work: (tx: Transaction) => T): Promise<T> {
    return this.ground.database.write(`till:${label}`, work);
  }
}

function idsOf({ id, till, account_id, price, kopecks }: TillPayment) {
  return { payment_id: id, till, account_id, price, kopecks };
}

/** Tells what a refund of a credited payment takes from whom, in the order in which it does. */
function refundShares(source: Reads, row: TillPayment): RefundShare[] {
  if (row.state !== "credited") return [];
  const payment = creditedPayment(row);
  const wanted = [
    { of: "payment" as const, accountId: payment.account_id, kopecks: keptOf(row) },
    ...rewardOfPayment(source, payment).map(({ accountId, kopecks }) => ({
      of: "reward" as const,
      accountId,
      kopecks,
    })),
  ];
  const left = new Map<number, Kopecks>();
  return wanted.map((share) => {
    const balance = left.get(share.accountId) ?? balanceOf(source, share.accountId);
    left.set(share.accountId, leftOf(balance, share.kopecks));
    return { ...share, owedKopecks: leftOf(share.kopecks, balance) };
  });
}

/** Takes the money back before the till is asked, so that nobody spends it meanwhile. */
function beginRefund(
  tx: Transaction,
  row: TillPayment,
  { actor, reason, mayOwe }: RefundRequest,
  at: Integer,
): { kind: "begun"; payment: TillPayment } | Extract<RefundOutcome, { kind: "too_large" | "closed" }> {
  if (row.state !== "credited" && row.state !== "unmatched") return { kind: "closed", payment: row };
  const { account_id: accountId } = row;
  const before = accountId === null ? NO_KOPECKS : balanceOf(tx, accountId);
  if (!mayOwe && sumOf(refundShares(tx, row).map(({ owedKopecks }) => owedKopecks)) > NO_KOPECKS)
    return { kind: "too_large", payment: row, balanceKopecks: before };
  const refund_tries = row.refund_tries + 1;
  const owed_kopecks = row.state === "credited" ? debitAll(tx, { ...row, refund_tries }, at) : NO_KOPECKS;
  const moved = movePayment(tx, row, "refunding", { refund_tries, owed_kopecks });
  const after = { kopecks: accountId === null ? 0 : balanceOf(tx, accountId), owed: owed_kopecks };
  const change = { before: { kopecks: before }, after };
  recordAct(tx, { actor, act: "refund", accountId, subject: `payment:${row.id}`, ...change, reason, at });
  return { kind: "begun", payment: moved };
}

/** Ends a refund that was begun here as the till says, unless the till's own report has ended it. */
function endRefund(
  tx: Transaction,
  id: number,
  answer: Exclude<RefundAnswer, { kind: "doubtful" }>,
  at: Integer,
): Exclude<RefundOutcome, { kind: "unknown" }> {
  const row = payments.get(tx, { id });
  if (!row) throw new Error(`payment ${id} is gone`);
  if (answer.kind === "done") {
    const taken = takeKnownRefund(tx, row, at);
    // Who took the report tells the person.
    return taken.kind === "repeated" ? { ...taken, kind: "settled" } : { ...taken, kind: "refunded" };
  }
  if (row.state === "refunded") return { kind: "closed", payment: row };
  const kept = row.state === "refunding" ? undoRefund(tx, row, at) : row;
  return { kind: "refused", payment: kept, reason: answer.reason };
}

/** Gives back what a refund took that the till refuses, debts first. */
function undoRefund(tx: Transaction, row: TillPayment, at: Integer): TillPayment {
  if (row.account_id === null || row.kopecks === null) return movePayment(tx, row, "unmatched");
  const payment = creditedPayment(row);
  const entry = tillEntry(row.till, "kept", `topup-kept:${row.id}:${row.refund_tries}`, at);
  giveBack(tx, payment.account_id, { kopecks: keptOf(row), owed: row.owed_kopecks }, entry);
  restoreReward(tx, payment, { keptKopecks: keptOf(row), at });
  return movePayment(tx, row, "credited", { owed_kopecks: NO_KOPECKS });
}

/** Takes a refund that the till reports. What the balance lacks becomes a debt: the money is gone. */
function takeRefund(tx: Transaction, refund: ArrivedPayment, at: Integer): RefundTaken {
  const { till, chargeId, payerAccountId, price, returned = price } = refund;
  const row = payments.get(tx, { till, charge_id: chargeId });
  // Its payment was never seen: there is nothing to take back, and it is not credited when it is seen.
  if (!row) {
    const given = reportedColumns(refund);
    const nothing = { invoice_id: null, account_id: payerAccountId ?? null, kopecks: null };
    return refunded(insertPayment(tx, { ...given, ...nothing, state: "refunded" }));
  }
  return returned < row.price ? takePart(tx, row, returned, at) : takeKnownRefund(tx, row, at);
}

/** Debits a part that the till has paid back, once. The reward stays while the rest would earn it. */
function takePart(tx: Transaction, row: TillPayment, returned: number, at: Integer): RefundTaken {
  if (row.state === "refunding" || row.state === "refunded" || returned <= row.returned)
    return { kind: "repeated", payment: row };
  const changed = { ...row, returned };
  if (row.state === "unmatched") {
    payments.update(tx, { id: row.id }, { returned });
    return { kind: "part", payment: changed, owedKopecks: NO_KOPECKS };
  }
  const payment = creditedPayment(changed);
  const partKopecks = leftOf(keptOf(row), keptOf(changed));
  const entry = tillEntry(row.till, "refunded", `topup-refund-part:${row.id}:${returned}`, at);
  const owedKopecks = takeBack(tx, payment.account_id, partKopecks, entry);
  takeBackReward(tx, payment, { keptKopecks: keptOf(changed), at });
  const owed_kopecks = untoldOwed(row, owedKopecks);
  const change = { returned, owed_kopecks, told_returned: row.told_returned ?? row.returned };
  payments.update(tx, { id: row.id }, change);
  return { kind: "part", payment: { ...row, ...change }, owedKopecks };
}

/** Adds what the balance lacked of parts that the person was not told of. */
function untoldOwed({ told_returned, owed_kopecks }: TillPayment, owed: Kopecks): Kopecks {
  return told_returned === null ? owed : sumOf([owed_kopecks, owed]);
}

/** Takes a refund of a payment that is known, whoever began it. */
function takeKnownRefund(
  tx: Transaction,
  row: TillPayment,
  at: Integer,
): Exclude<RefundTaken, { kind: "part" }> {
  if (row.state === "refunded") return { kind: "repeated", payment: row };
  if (row.state === "refunding") return refunded(movePayment(tx, row, "refunded"), "settled");
  if (row.state === "unmatched") return refunded(movePayment(tx, row, "refunded"));
  const refund_tries = row.refund_tries + 1;
  const owedKopecks = debitAll(tx, { ...row, refund_tries }, at);
  const owed_kopecks = untoldOwed(row, owedKopecks);
  return { ...refunded(movePayment(tx, row, "refunded", { refund_tries, owed_kopecks })), owedKopecks };
}

function refunded(row: TillPayment, kind: "refunded" | "settled" = "refunded") {
  return { kind, payment: row, owedKopecks: row.owed_kopecks };
}

/** Debits what is left of a credited payment, and its reward. Returns what the payer's balance lacks for the payment. */
function debitAll(tx: Transaction, row: TillPayment, at: Integer): Kopecks {
  const payment = creditedPayment(row);
  const entry = tillEntry(row.till, "refunded", `topup-refund:${row.id}:${row.refund_tries}`, at);
  const owed = takeBack(tx, payment.account_id, keptOf(row), entry);
  takeBackReward(tx, payment, { keptKopecks: NO_KOPECKS, at });
  return owed;
}

function creditedPayment({ id, account_id }: TillPayment): { id: number; account_id: number } {
  if (account_id === null) throw new Error(`payment ${id} was credited to nobody`);
  return { id, account_id };
}
