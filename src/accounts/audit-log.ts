import type { Generated, Selectable } from "kysely";
import type { Database, Transaction } from "../database/database.js";
import { lessThan, not, table } from "../database/table.js";
import type { Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";

/** What an act changed: names of fields with their values. Never words of users, keys or secrets. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

export interface Act {
  /** `ctl`, or an admin as the front-end names them. */
  actor: string;
  /** A standard verb, such as `credit`, `ban` or `refund`. */
  act: string;
  /** Whom it concerns; null for an act that concerns no account. */
  accountId: number | null;
  /** What it concerns beside the account, such as `order:12` or `model:veo-3.1`. */
  subject?: string | null;
  before?: AuditDetail | null;
  after?: AuditDetail | null;
  reason?: string | null;
}

export interface AuditEntry extends Required<Act> {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

interface AuditPage {
  /** Entries with a smaller id; by default the newest. */
  beforeId?: number;
  accountId?: number;
  limit: number;
}

/** Append-only: rows are never updated or deleted. */
interface AuditEntryTable {
  id: Generated<number>;
  /** Milliseconds since the epoch. */
  at: Integer;
  actor: string;
  act: string;
  account_id: number | null;
  subject: string | null;
  /** JSON of `AuditDetail`. */
  before: string | null;
  after: string | null;
  reason: string | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    audit_entry: AuditEntryTable;
  }
}

type EntryRow = Selectable<AuditEntryTable>;

const entries = table("audit_entry");

/** Returns the newest acts about an account for which somebody gave a reason. */
export function reasonedActs(
  database: Database,
  accountId: number,
  limit: number,
): Pick<EntryRow, "at" | "act" | "reason">[] {
  const reasoned = { account_id: accountId, reason: not(null) } as const;
  return entries.all(database, reasoned, { orderBy: ["id desc"], limit });
}

/** Records an act in the transaction that makes it, so that neither stands without the other. */
export function recordAct(tx: Transaction, act: Act & { at: Integer }): void {
  entries.insert(tx, {
    at: act.at,
    actor: act.actor,
    act: act.act,
    account_id: act.accountId,
    subject: act.subject ?? null,
    before: jsonOf(act.before),
    after: jsonOf(act.after),
    reason: act.reason ?? null,
  });
}

/** Records what admins and operators did. An entry is never edited and never deleted. */
export class AuditLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async record(act: Act): Promise<void> {
    await this.database.write("audit", (tx) => recordAct(tx, { ...act, at: this.clock.now() }));
  }

  /** Returns entries, newest first. */
  list({ beforeId = Number.MAX_SAFE_INTEGER, accountId, limit }: AuditPage): AuditEntry[] {
    const older = { ...(accountId !== undefined && { account_id: accountId }), id: lessThan(beforeId) };
    return entries.all(this.database, older, { orderBy: ["id desc"], limit }).map(entryOf);
  }
}

function entryOf({ account_id: accountId, before, after, ...row }: EntryRow): AuditEntry {
  return { ...row, accountId, before: detailOf(before), after: detailOf(after) };
}

function jsonOf(detail: AuditDetail | null | undefined): string | null {
  return detail ? JSON.stringify(detail) : null;
}

function detailOf(json: string | null): AuditDetail | null {
  return json === null ? null : (JSON.parse(json) as AuditDetail);
}
