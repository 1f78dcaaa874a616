import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";
import type { Attempt } from "./attempt.js";
import { type AttemptRow, attemptOf } from "./attempt-table.js";

/** States of an attempt that the service may still be asked about for its job. */
const OPEN = ["sending", "accepted"] as const;

export const selectByCallback = prepare<{ provider: string; callback_hash: string }, AttemptRow>((p) =>
  qb
    .selectFrom("attempt")
    .selectAll()
    .where("provider", "=", p.provider)
    .where("callback_hash", "=", p.callback_hash),
);
/** Moves a due time, only ever to an earlier one. */
const hurryDue = prepare<{ id: number; due_at: Integer }>((p) =>
  qb
    .updateTable("attempt")
    .set({ due_at: p.due_at })
    .where("attempt_id", "=", p.id)
    .where("due_at", ">", p.due_at)
    .where(
      "state",
      "in",
      OPEN.map((state) => sql.lit(state)),
    ),
);

/** Hashes the token of a callback: nobody can call with what the database has. */
export function callbackHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export function attemptOfCallback(database: Database, provider: string, token: string): Attempt | undefined {
  const row = database.first(selectByCallback, { provider, callback_hash: callbackHash(token) });
  return row && attemptOf(row);
}

/** Moves the poll of a task that is waited for, or of a doubtful submit, to `dueAt`. */
export function hurryAttempt(database: Database, id: number, dueAt: Integer): Promise<void> {
  return database.write("attempt:hurried", (tx) => void tx.run(hurryDue, { id, due_at: dueAt }));
}
