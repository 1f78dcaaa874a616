import { accountById, eraseAccountName, eraseNotes, newestNotes } from "../accounts/account-store.js";
import type { Accounts } from "../accounts/accounts.js";
import { reasonedActs, recordAct } from "../accounts/audit-log.js";
import { consentsOfAccount } from "../accounts/consent-log.js";
import { eraseInviteCode, inviteCodeOf, inviteCounts, inviteOf } from "../accounts/invite-book.js";
import { type ApiKey, keysOfAccount, revokeAllKeys } from "../accounts/key-store.js";
import { entriesAfter, type LedgerEntry, SERVICE_ACTOR } from "../accounts/ledger-store.js";
import { offeredWelcome } from "../accounts/welcome-credit.js";
import { rublesOf } from "../contract/price.js";
import type { Database, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import { eraseJobs, hasOpenJobsOf, hasWordsOf } from "../jobs/erase-jobs.js";
import { JOB_REQUEST, type JobRow, jobsOfAccount } from "../jobs/job-store.js";
import { eraseFileTitles, eraseMedia } from "../media/media-cleanup.js";
import type { MediaStore } from "../media/media-store.js";
import type { Integer } from "../platform/integer.js";
import { isoTime } from "../platform/zoned-time.js";
import { paymentsOfAccount } from "../tills/payment-store.js";
import { paymentName, type TillPayment } from "../tills/till.js";

/** One part of what is stored about a person, such as `orders`. Rows are plain JSON and are read as they are taken. */
export interface DataSection {
  name: string;
  rows: Iterable<Readonly<Record<string, unknown>>>;
}

/** Rows hold whole requests: a page is read in a few ms. */
export const PAGE_ROWS = 25;
const NOTES_MAX = 500;

/** Yields what the core stores about an account, page by page. Times are ISO, sums are rubles. */
export function* accountSections(database: Database, accountId: number): Iterable<DataSection> {
  yield { name: "account", rows: [accountLine(database, accountId)] };
  yield { name: "keys", rows: keysOfAccount(database, accountId).map(keyLine) };
  const notes = newestNotes(database, accountId, NOTES_MAX);
  yield { name: "notes", rows: notes.map(({ text, created_at }) => ({ text, at: isoTime(created_at) })) };
  const acts = reasonedActs(database, accountId, NOTES_MAX);
  yield { name: "acts", rows: acts.map(({ at, act, reason }) => ({ at: isoTime(at), act, reason })) };
  const consents = consentsOfAccount(database, accountId, NOTES_MAX);
  yield {
    name: "consents",
    rows: consents.map(({ document, version, agreed_at }) => ({ at: isoTime(agreed_at), document, version })),
  };
  const payments = (last?: TillPayment) => paymentsOfAccount(database, accountId, PAGE_ROWS, last?.id);
  yield { name: "payments", rows: linesByPage(payments, paymentLine) };
  const entries = (last?: LedgerEntry) =>
    entriesAfter(database, last?.id ?? 0, PAGE_ROWS, { account_id: accountId });
  yield { name: "entries", rows: linesByPage(entries, entryLine) };
  const jobs = (last?: JobRow) => jobsOfAccount(database, accountId, last?.id ?? 0, PAGE_ROWS);
  yield { name: "jobs", rows: linesByPage(jobs, jobLine) };
}

/** @param page reads the rows that follow one, at most PAGE_ROWS */
export function* linesByPage<Row>(
  page: (last: Row | undefined) => readonly Row[],
  lineOf: (row: Row) => Readonly<Record<string, unknown>>,
) {
  for (let last: Row | undefined; ; ) {
    const rows = page(last);
    for (const row of rows) yield lineOf(row);
    last = rows.at(-1);
    if (rows.length < PAGE_ROWS) return;
  }
}

function paymentLine(payment: TillPayment) {
  return {
    number: paymentName(payment.id),
    at: isoTime(payment.paid_at),
    till: payment.till,
    charge_id: payment.charge_id,
    price: payment.price,
    ...(payment.currency === null ? {} : { currency: payment.currency }),
    ...(payment.returned === 0 ? {} : { price_returned: payment.returned }),
    credited_rub: payment.kopecks === null ? null : rublesOf(payment.kopecks),
    state: payment.state,
  };
}

function accountLine(database: Database, accountId: number) {
  const { name, balance, created_at } = accountById(database, accountId);
  const waiting = offeredWelcome(database, accountId);
  return {
    name,
    balance_rub: rublesOf(balance),
    ...(waiting === undefined ? {} : { welcome_credit_waiting_rub: rublesOf(waiting) }),
    invite_code: inviteCodeOf(database, accountId) ?? null,
    invited_at: isoTime(inviteOf(database, accountId)?.at ?? null),
    people_invited: inviteCounts(database, accountId).invited,
    created_at: isoTime(created_at),
  };
}

function keyLine({ prefix, name, created_at, last_used_at, revoked_at }: ApiKey) {
  return {
    prefix,
    name,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
    revoked_at: isoTime(revoked_at),
  };
}

function entryLine({ kind, amount, balance_after, reason, order_id, created_at }: LedgerEntry) {
  return {
    at: isoTime(created_at),
    kind,
    amount_rub: rublesOf(amount),
    balance_rub: rublesOf(balance_after),
    reason,
    order_id,
  };
}

function jobLine({ request, cost, is_refunded, ...job }: JobRow) {
  return {
    created_at: isoTime(job.created_at),
    finished_at: isoTime(job.finished_at),
    origin: job.origin,
    order_id: job.order_id,
    model: job.model_title,
    request: JOB_REQUEST.read(request),
    cost_rub: rublesOf(cost),
    status: job.status,
    refunded: is_refunded === 1,
  };
}

/** An account whose person asked to be forgotten. The row lasts until everything is erased. */
interface ErasureRow {
  account_id: number;
  actor: string;
  /** Milliseconds since the epoch. */
  asked_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    erasure: ErasureRow;
  }
}

const erasures = table("erasure");

/** Stores the wish with its act. False when it is stored already. */
export function askErasure(tx: Transaction, wish: ErasureRow): boolean {
  if (!erasures.insertOnce(tx, wish)) return false;
  const { account_id: accountId, actor, asked_at: at } = wish;
  recordAct(tx, { actor, act: "forget", accountId, at });
  return true;
}

const STEP_ROWS = 100;

/** Tells and erases what the core stores about a person. */
export class PersonalDataService {
  /** @param onErase erases what providers keep of a job that has ended, in the transaction that erases the job */
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
    private readonly store: MediaStore,
    private readonly onErase: (tx: Transaction, jobId: number) => void,
  ) {}

  /** Yields nothing for a user without an account. */
  *sections(userId: number): Iterable<DataSection> {
    const accountId = this.accounts.find(userId);
    if (accountId !== undefined) yield* accountSections(this.ground.database, accountId);
  }

  /**
   * Stores that everything of the user is to be erased, with the act. False when that is stored already, or when the
   * user has no account.
   */
  async askToErase(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const accountId = this.accounts.find(userId);
    if (accountId === undefined) return false;
    const isNew = await database.write("erasure:ask", (tx) =>
      askErasure(tx, { account_id: accountId, actor, asked_at: clock.now() }),
    );
    if (isNew) logger.info({ account_id: accountId, actor }, "erasure asked for");
    return isNew;
  }

  /** Lists the users whose data are to be erased. */
  toErase(): number[] {
    const { database } = this.ground;
    const asked = erasures.all(database, {}, { orderBy: ["asked_at", "account_id"] });
    const users = asked.map(({ account_id }) => this.accounts.userOf(account_id));
    return users.filter((userId) => userId !== undefined);
  }

  hasOpenJobs(userId: number): boolean {
    const accountId = this.accounts.find(userId);
    return accountId !== undefined && hasOpenJobsOf(this.ground.database, accountId);
  }

  /** Erases what the account has, in steps. A repeat after a crash goes on. Resolves early when `signal` is aborted. */
  async erase(userId: number, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.ground;
    const accountId = this.accounts.find(userId);
    if (accountId === undefined) return;
    await database.write("erasure:account", (tx) => {
      eraseAccountName(tx, accountId);
      eraseNotes(tx, accountId);
      eraseInviteCode(tx, accountId);
      revokeAllKeys(tx, accountId, clock.now());
    });
    const before = clock.now();
    await this.#eraseJobs(accountId, signal);
    await this.#eraseFiles(accountId, before, signal);
  }

  /**
   * Records that everything is erased. Called when the front-end has erased its part too.
   * @param hasWords tells whether something of the front-end's part was written meanwhile
   * @returns false, and the wish stays, where the person has ordered meanwhile
   */
  async finishErasure(
    userId: number,
    hasWords: (tx: Transaction) => boolean = () => false,
  ): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const accountId = this.accounts.find(userId);
    if (accountId === undefined) return true;
    const isErased = await database.write("erasure:end", (tx) => {
      if (hasWordsOf(tx, accountId) || hasWords(tx)) return false;
      if (erasures.delete(tx, { account_id: accountId }) > 0)
        recordAct(tx, { actor: SERVICE_ACTOR, act: "forgotten", accountId, at: clock.now() });
      return true;
    });
    if (isErased) logger.info({ account_id: accountId }, "account erased");
    return isErased;
  }

  async #eraseJobs(accountId: number, signal: AbortSignal): Promise<void> {
    const { database } = this.ground;
    for (let afterId: number | undefined = 0; afterId !== undefined && !signal.aborted; ) {
      const page = { accountId, afterId, limit: STEP_ROWS };
      afterId = await database.write("erasure:jobs", (tx) => {
        const ids = eraseJobs(tx, page);
        for (const id of ids) {
          eraseFileTitles(tx, id);
          this.onErase(tx, id);
        }
        return ids.at(-1);
      });
    }
  }

  /** Deletes files after the commit that marks them: what a crash leaves is an orphan, which the cleanup removes. */
  async #eraseFiles(accountId: number, before: Integer, signal: AbortSignal): Promise<void> {
    const { database } = this.ground;
    while (!signal.aborted) {
      const names = await database.write("erasure:files", (tx) =>
        eraseMedia(tx, { accountId, before, limit: STEP_ROWS }),
      );
      if (names.length === 0) return;
      for (const name of names) await this.store.remove(name);
    }
  }
}
