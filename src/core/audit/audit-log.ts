import type { Insertable, Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { AuditPage } from "../../ports/audit.js";
import { type Act, type Audit, type AuditDetail, type AuditEntry, auditDetail } from "../../ports/audit.js";
import type { AuditEntryTable } from "./audit-table.js";

type NewEntry = Required<Omit<Insertable<AuditEntryTable>, "id">>;
type EntryRow = Selectable<AuditEntryTable>;

const insert = prepare<NewEntry>((p) =>
  qb.insertInto("audit_entry").values({
    at: p.at,
    actor: p.actor,
    act: p.act,
    account_id: p.account_id,
    subject: p.subject,
    before: p.before,
    after: p.after,
    reason: p.reason,
  }),
);
const selectPage = prepare<{ beforeId: number; limit: number }, EntryRow>((p) =>
  qb.selectFrom("audit_entry").selectAll().where("id", "<", p.beforeId).orderBy("id", "desc").limit(p.limit),
);
const selectPageOfAccount = prepare<{ beforeId: number; limit: number; accountId: number }, EntryRow>((p) =>
  qb
    .selectFrom("audit_entry")
    .selectAll()
    .where("account_id", "=", p.accountId)
    .where("id", "<", p.beforeId)
    .orderBy("id", "desc")
    .limit(p.limit),
);

/** Returns the newest acts about an account for which somebody gave a reason. */
export function reasonedActs(
  database: Database,
  accountId: number,
  limit: number,
): Pick<EntryRow, "at" | "act" | "reason">[] {
  const page = { accountId, beforeId: Number.MAX_SAFE_INTEGER, limit };
  return database.all(selectPageOfAccount, page).filter(({ reason }) => reason !== null);
}

/** Records an act in the transaction that makes it, so that neither stands without the other. */
export function recordAct(tx: Transaction, act: Act & { at: Integer }): void {
  tx.run(insert, {
    at: act.at,
    actor: act.actor,
    act: act.act,
    account_id: act.accountId,
    subject: act.subject,
    before: jsonOf(act.before),
    after: jsonOf(act.after),
    reason: act.reason,
  });
}

export class AuditLog implements Audit {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async record(act: Act): Promise<void> {
    await this.#database.write("audit", (tx) => recordAct(tx, { ...act, at: this.#clock.now() }));
  }

  list({ beforeId = Number.MAX_SAFE_INTEGER, accountId, limit }: AuditPage): AuditEntry[] {
    const rows =
      accountId === undefined
        ? this.#database.all(selectPage, { beforeId, limit })
        : this.#database.all(selectPageOfAccount, { beforeId, limit, accountId });
    return rows.map(entryOf);
  }
}

function entryOf({ account_id: accountId, before, after, ...row }: EntryRow): AuditEntry {
  return { ...row, accountId, before: detailOf(before), after: detailOf(after) };
}

function jsonOf(detail: AuditDetail | null): string | null {
  return detail && JSON.stringify(detail);
}

function detailOf(json: string | null): AuditDetail | null {
  return json === null ? null : auditDetail.parse(JSON.parse(json));
}
