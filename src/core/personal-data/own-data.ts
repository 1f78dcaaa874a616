import { rublesOf } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { type Prepared, prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { AccountNote } from "../../ports/account-records.js";
import type { Consent } from "../../ports/consents.js";
import type { DataSection } from "../../ports/personal-data.js";
import { paymentName } from "../../ports/till.js";
import { accountById } from "../account/account-store.js";
import { newestNotes } from "../account/note-store.js";
import { offeredWelcome } from "../account/welcome-store.js";
import { reasonedActs } from "../audit/audit-log.js";
import { consentsOfAccount } from "../consent/consent-log.js";
import { inviteCodeOf, inviteCounts, inviteOf } from "../invites/invite-store.js";
import { requestOf } from "../jobs/job-request.js";
import type { JobRow } from "../jobs/job-store.js";
import { type KeyRow, keysOfAccount } from "../keys/key-store.js";
import type { LedgerEntry } from "../ledger/ledger-store.js";
import { type PaymentRow, paymentsOfAccount } from "../till/payment-store.js";

/** Rows hold whole requests: a page is read in a few ms. */
const PAGE_ROWS = 25;
const NOTES_MAX = 500;

interface Page {
  accountId: number;
  afterId: number;
  limit: number;
}

const selectJobs = prepare<Page, JobLine>((p) =>
  qb
    .selectFrom("job")
    .select(["id", "origin", "order_id", "model_title", "request", "cost", "status", "is_refunded"])
    .select(["created_at", "finished_at"])
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.afterId)
    .orderBy("id")
    .limit(p.limit),
);
const selectEntries = prepare<Page, EntryLine>((p) =>
  qb
    .selectFrom("ledger_entry")
    .select(["id", "kind", "amount", "balance_after", "reason", "order_id", "created_at"])
    .where("account_id", "=", p.accountId)
    .where("id", ">", p.afterId)
    .orderBy("id")
    .limit(p.limit),
);

type JobLine = Pick<
  JobRow,
  | "id"
  | "origin"
  | "order_id"
  | "model_title"
  | "request"
  | "cost"
  | "status"
  | "is_refunded"
  | "created_at"
  | "finished_at"
>;
type EntryLine = Pick<
  LedgerEntry,
  "id" | "kind" | "amount" | "balance_after" | "reason" | "order_id" | "created_at"
>;

/** Yields what the core stores about an account, page by page. Times are ISO, sums are rubles. */
export function* accountSections(database: Database, accountId: number): Iterable<DataSection> {
  yield { name: "account", rows: [accountLine(database, accountId)] };
  yield { name: "keys", rows: keysOfAccount(database, accountId).map(keyLine) };
  yield { name: "notes", rows: newestNotes(database, accountId, NOTES_MAX).map(noteLine) };
  yield { name: "acts", rows: reasonedActs(database, accountId, NOTES_MAX).map(actLine) };
  yield { name: "consents", rows: consentsOfAccount(database, accountId, NOTES_MAX).map(consentLine) };
  yield { name: "payments", rows: paymentLines(database, accountId) };
  yield { name: "entries", rows: linesOf(database, selectEntries, accountId, entryLine) };
  yield { name: "jobs", rows: linesOf(database, selectJobs, accountId, jobLine) };
}

function noteLine({ text, at }: AccountNote) {
  return { text, at: new Date(at).toISOString() };
}

function actLine({ at, act, reason }: ReturnType<typeof reasonedActs>[number]) {
  return { at: isoOf(at), act, reason };
}

function consentLine({ document, version, at }: Consent) {
  return { at: new Date(at).toISOString(), document, version };
}

function* paymentLines(database: Database, accountId: number) {
  for (let beforeId: number | undefined; ; ) {
    const rows = paymentsOfAccount(database, accountId, PAGE_ROWS, beforeId);
    for (const payment of rows) yield paymentLine(payment);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    beforeId = last.id;
  }
}

function paymentLine(payment: PaymentRow) {
  return {
    number: paymentName(payment.id),
    at: isoOf(payment.paid_at),
    till: payment.till,
    charge_id: payment.charge_id,
    price: payment.price,
    ...(payment.currency === null ? {} : { currency: payment.currency }),
    ...(payment.returned === 0 ? {} : { price_returned: payment.returned }),
    credited_rub: payment.kopecks === null ? null : rublesOf(payment.kopecks),
    state: payment.state,
  };
}

function* linesOf<Row extends { id: number }>(
  database: Database,
  query: Prepared<Page, Row>,
  accountId: number,
  lineOf: (row: Row) => Readonly<Record<string, unknown>>,
) {
  for (let afterId = 0; ; ) {
    const rows = database.all(query, { accountId, afterId, limit: PAGE_ROWS });
    for (const row of rows) yield lineOf(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    afterId = last.id;
  }
}

function accountLine(database: Database, accountId: number) {
  const { name, balance, created_at } = accountById(database, accountId);
  const waiting = offeredWelcome(database, accountId);
  return {
    name,
    balance_rub: rublesOf(balance),
    ...(waiting === undefined ? {} : { welcome_credit_waiting_rub: rublesOf(waiting) }),
    invite_code: inviteCodeOf(database, accountId) ?? null,
    invited_at: isoOf(inviteOf(database, accountId)?.at ?? null),
    people_invited: inviteCounts(database, accountId).invited,
    created_at: isoOf(created_at),
  };
}

function keyLine({ prefix, name, created_at, last_used_at, revoked_at }: KeyRow) {
  return {
    prefix,
    name,
    created_at: isoOf(created_at),
    last_used_at: isoOf(last_used_at),
    revoked_at: isoOf(revoked_at),
  };
}

function entryLine({ kind, amount, balance_after, reason, order_id, created_at }: EntryLine) {
  return {
    at: isoOf(created_at),
    kind,
    amount_rub: rublesOf(amount),
    balance_rub: rublesOf(balance_after),
    reason,
    order_id,
  };
}

function jobLine({ request, cost, is_refunded, ...job }: JobLine) {
  return {
    created_at: isoOf(job.created_at),
    finished_at: isoOf(job.finished_at),
    origin: job.origin,
    order_id: job.order_id,
    model: job.model_title,
    request: requestOf(request),
    cost_rub: rublesOf(cost),
    status: job.status,
    refunded: is_refunded === 1,
  };
}

function isoOf(time: number): string;
function isoOf(time: number | null): string | null;
function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
