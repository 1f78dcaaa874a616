import type { Act, Audit } from "../../src/accounts/audit-log.js";
import type { AccountAdmin } from "../../src/accounts/ledger-store.js";
import type { PromoCodes } from "../../src/accounts/promo-book.js";
import type { Statement, StatementEntry } from "../../src/accounts/statement-store.js";
import type { WelcomeCredits } from "../../src/accounts/welcome-credit.js";
import type { ModelSwitches } from "../../src/catalogue/model-overrides.js";
import { asKopecks, NO_KOPECKS, sumOf } from "../../src/contract/price.js";
import type { PersonalData } from "../../src/gather/personal-data-service.js";
import type { OrderRecords } from "../../src/jobs/order-reader.js";
import type { AccountRecords } from "../../src/ports/account-records.js";
import type { Bans } from "../../src/ports/bans.js";
import type { AccountKeys, ApiKey } from "../../src/ports/keys.js";
import type { Summaries } from "../../src/ports/summary.js";
import type { ConnectedAccounts, ManagedAccounts, SharedAccount } from "../../src/service/accounts.js";
import type { Payments } from "../../src/tills/till.js";

/** What creating a key answers with. */
export const SECRET_KEY = "gk_secret";

/** Accounts like those of the embedded service. */
export function managedAccounts(change: Partial<ManagedAccounts> = {}): ManagedAccounts {
  const usual = {
    admin: recordingAdmin(),
    audit: recordedActs(),
    bans: { of: () => undefined, ban: async () => "done", lift: async () => false } satisfies Bans,
    records: { of: () => undefined, userOf: () => undefined, note: async () => {} } satisfies AccountRecords,
    models: { list: () => [], change: async () => false } satisfies ModelSwitches,
    orders: {
      of: () => ({ money: [], jobs: [], refundableKopecks: NO_KOPECKS }),
      refund: async () => ({ kind: "nothing" }),
    } satisfies OrderRecords,
    keys: accountKeys(),
    payments: noPayments(),
    personalData: noPersonalData(),
    statement: statementOf([]),
    promo: noPromoCodes(),
    consents: { hasAgreed: () => true, agree: async () => {}, of: () => [] },
    welcome: { offeredTo: () => undefined, take: async () => ({ kind: "none" }) } satisfies WelcomeCredits,
    summaries: { read: () => Promise.reject(new Error("no summary")) } satisfies Summaries,
    invites: undefined,
    refundsFailedJobs: true,
  };
  return { kind: "managed", ...usual, ...change };
}

/** One account at a service elsewhere. */
export function sharedAccount(change: Partial<SharedAccount> = {}): SharedAccount {
  return { kind: "shared", isLinksOnly: false, ...change };
}

/** Accounts at a service elsewhere that nobody has connected, unless the test says otherwise. */
export function connectedAccounts(change: Partial<ConnectedAccounts> = {}): ConnectedAccounts {
  const connections = {
    connect: async () => ({ outcome: "refused" }) as const,
    findKey: () => undefined,
    disconnect: async () => ({ outcome: "not_connected" }) as const,
    onKeyRefused: () => {},
  };
  const nothing = { catalogue: () => [], wasSent: () => false };
  return { kind: "connected", isLinksOnly: false, connections, ...nothing, ...change };
}

/** Takes every correction, and remembers it. */
export function recordingAdmin(): AccountAdmin & { corrections: unknown[] } {
  const corrections: unknown[] = [];
  const correct = async (correction: unknown) => {
    corrections.push(correction);
    const debtPaidKopecks = asKopecks(0);
    return { outcome: "done", balanceKopecks: asKopecks(600_00), debtPaidKopecks } as const;
  };
  return {
    corrections,
    credit: correct,
    debit: correct,
    ensure: async () => {},
    correctionMade: async () => undefined,
    balanceOf: async () => asKopecks(250_00),
  };
}

/** Acts in memory. */
export function recordedActs(): Audit & { acts: Act[] } {
  const acts: Act[] = [];
  return {
    acts,
    record: async (act) => void acts.push(act),
    list: () => acts.map((act, index) => ({ ...act, id: index + 1, at: 0 })).reverse(),
  };
}

/** Nothing is stored about anybody. */
export function noPersonalData(change: Partial<PersonalData> = {}): PersonalData {
  return {
    sections: () => [],
    askToErase: async () => true,
    isErasureAsked: () => false,
    toErase: () => [],
    hasOpenJobs: () => false,
    erase: async () => {},
    finishErasure: async () => {},
    ...change,
  };
}

/** Every code is wrong. */
export function noPromoCodes(): PromoCodes {
  return { redeem: async () => ({ kind: "wrong" }), list: () => [] };
}

/** A statement of entries in memory, newest first. */
export function statementOf(entries: readonly StatementEntry[]): Statement {
  return {
    async page(_user, place, limit) {
      const { olderThan = Number.POSITIVE_INFINITY } = place && "olderThan" in place ? place : {};
      const newer = place && "newerThan" in place ? entries.filter(({ id }) => id > place.newerThan) : [];
      if (newer.length > limit) return { entries: newer.slice(-limit), hasOlder: true, hasNewer: true };
      const older = entries.filter(({ id }) => id < olderThan);
      const hasNewer = older.length < entries.length;
      return { entries: older.slice(0, limit), hasOlder: older.length > limit, hasNewer };
    },
    async month() {
      const sums = { credit: NO_KOPECKS, debit: NO_KOPECKS, charge: NO_KOPECKS, refund: NO_KOPECKS };
      for (const { kind, amountKopecks } of entries) sums[kind] = sumOf([sums[kind], amountKopecks]);
      return sums;
    },
    async *read(_user, limit) {
      yield entries.slice(0, limit);
    },
  };
}

/** Keys in memory. */
export function accountKeys(): AccountKeys {
  const living: ApiKey[] = [];
  return {
    async create(_user, name) {
      const id = living.length + 1;
      const info = { id, prefix: `gk_${id}`, name, createdAt: 0, lastUsedAt: null, revokedAt: null };
      living.push(info);
      return { info, key: SECRET_KEY };
    },
    living: async () => [...living],
    async revoke(_user, id) {
      const index = living.findIndex((key) => key.id === id);
      return index >= 0 && living.splice(index, 1).length > 0;
    },
  };
}

/** A book that is empty, and stays so: tests of payments open a real one. */
export function noPayments(): Payments {
  const refuse = () => Promise.reject(new Error("no payments in this test"));
  return {
    openInvoice: refuse,
    invoice: () => undefined,
    closeInvoice: refuse,
    take: refuse,
    takeRefund: refuse,
    refund: refuse,
    settleRefunds: async () => [],
    creditHeld: refuse,
    sharesOf: () => [],
    byId: () => undefined,
    byCharge: () => undefined,
    byAnyCharge: () => undefined,
    ofUser: () => [],
    untold: () => [],
    markTold: async () => {},
    sweep: async () => {},
  };
}
