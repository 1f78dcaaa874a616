import type { Clock } from "../platform/clock.js";
import type { Database } from "./database.js";
import type { Migration } from "./migrations.js";
import { prepare, queryBuilder } from "./prepared.js";

export const WRITE_PROBE_MIGRATION: Migration = {
  name: "write-probe",
  sql: `
    CREATE TABLE write_probe (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
    INSERT INTO write_probe VALUES (1, 0);
  `,
};

const qb = queryBuilder<{ write_probe: { id: number; at: number } }>();
const touch = prepare<{ at: number }>((p) => qb.updateTable("write_probe").set({ at: p.at }));

/** Commits a row, since an empty transaction succeeds even on a full disk. Rejects with SQLite's error. */
export async function probeWrite(database: Database, clock: Clock): Promise<void> {
  await database.write("probe", (tx) => tx.run(touch, { at: clock.now() }));
}
