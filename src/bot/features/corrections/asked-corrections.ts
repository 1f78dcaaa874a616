import type { Selectable } from "kysely";
import { z } from "zod";
import type { Kopecks } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import { DAY_MS, MINUTE_MS } from "../../../platform/units.js";
import type { AskedCorrectionTable } from "./asked-correction-table.js";

const ASKED_MS = 10 * MINUTE_MS;
/** Rows are kept longer than they may be confirmed, so that a late tap is told why. */
const KEPT_MS = 7 * DAY_MS;

export const CORRECTION_KINDS = ["credit", "debit"] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** A correction that waits for its admin's confirmation, exactly as it was understood. */
export interface AskedCorrection {
  adminId: number;
  kind: CorrectionKind;
  userId: number;
  kopecks: Kopecks;
  reason: string | null;
  /** The command's own key: the correction is applied once whatever happens. */
  idempotencyKey: string;
}

type AskedRow = Selectable<AskedCorrectionTable>;

const insert = prepare<Omit<AskedRow, "id">>((p) =>
  qb
    .insertInto("asked_correction")
    .values({
      idempotency_key: p.idempotency_key,
      admin_id: p.admin_id,
      kind: p.kind,
      user_id: p.user_id,
      kopecks: p.kopecks,
      reason: p.reason,
      asked_at: p.asked_at,
    })
    .onConflict((conflict) => conflict.column("idempotency_key").doNothing()),
);
const byKey = prepare<{ key: string }, AskedRow>((p) =>
  qb.selectFrom("asked_correction").selectAll().where("idempotency_key", "=", p.key),
);
const byId = prepare<{ id: number }, AskedRow>((p) =>
  qb.selectFrom("asked_correction").selectAll().where("id", "=", p.id),
);
const remove = prepare<{ id: number }>((p) => qb.deleteFrom("asked_correction").where("id", "=", p.id));
const forget = prepare<{ before: Integer }>((p) =>
  qb.deleteFrom("asked_correction").where("asked_at", "<", p.before),
);

const forgetOf = prepare<{ userId: number }>((p) =>
  qb.deleteFrom("asked_correction").where("user_id", "=", p.userId),
);

const storedKind = z.enum(CORRECTION_KINDS);

/** Deletes the questions about a person, whose reasons may be words about them. */
export function eraseAskedCorrections(tx: Transaction, userId: number): void {
  tx.run(forgetOf, { userId });
}

export class AskedCorrections {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Resolves to the number of the question. A command that is handled again keeps its question. */
  ask(asked: AskedCorrection): Promise<number> {
    const now = this.#clock.now();
    return this.#database.write("correction-asked", (tx) => {
      tx.run(forget, { before: now - KEPT_MS });
      tx.run(insert, {
        idempotency_key: asked.idempotencyKey,
        admin_id: asked.adminId,
        kind: asked.kind,
        user_id: asked.userId,
        kopecks: asked.kopecks,
        reason: asked.reason,
        asked_at: now,
      });
      const row = tx.first(byKey, { key: asked.idempotencyKey });
      if (!row) throw new Error("a question about a correction was not written");
      return row.id;
    });
  }

  /** Finds a question. Undefined when it was answered. */
  find(id: number): (AskedCorrection & { isOver: boolean }) | undefined {
    const row = this.#database.first(byId, { id });
    if (!row) return undefined;
    const ageMs = this.#clock.now() - row.asked_at;
    return {
      adminId: row.admin_id,
      kind: storedKind.parse(row.kind),
      userId: row.user_id,
      kopecks: row.kopecks,
      reason: row.reason,
      idempotencyKey: row.idempotency_key,
      // A clock that was set back must not prolong a question.
      isOver: Math.abs(ageMs) >= ASKED_MS,
    };
  }

  async answered(id: number): Promise<void> {
    await this.#database.write("correction-answered", (tx) => tx.run(remove, { id }));
  }
}
