import type { Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import type { Database } from "./database.js";
import { prepare } from "./prepared.js";
import { qb } from "./schema.js";

const touch = prepare<{ at: Integer }>((p) => qb.updateTable("write_probe").set({ at: p.at }));

/** Commits a row, since an empty transaction succeeds even on a full disk. Rejects with SQLite's error. */
export async function probeWrite(database: Database, clock: Clock): Promise<void> {
  await database.write("probe", (tx) => tx.run(touch, { at: clock.now() }));
}
