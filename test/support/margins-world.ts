import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openTestCore } from "./core.js";

export type MarginsWorld = Awaited<ReturnType<typeof openMarginsWorld>>;

/** A core with one account, and a handle that writes its rows as nobody else does. */
export async function openMarginsWorld() {
  const core = openTestCore();
  await core.person(1);
  const db = new Sqlite(join(core.directory, "atelier.db"));
  return {
    ...core,
    db,
    /** Writes what a job has cost at a service. */
    addCost(job: number, amount: number | null, currency = "USD") {
      db.prepare(`INSERT INTO attempt (uuid, job_id, no, provider, endpoint, operation, request_hash, state, ref,
        planned_at, deadline_at, cost_amount, cost_currency, cost_source)
        VALUES (?, ?, 1, 'fal', 'e', '{}', 'h', 'stored', '{}', 0, 0, ?, ?, 'upstream')`).run(
        `u${job}`,
        job,
        amount,
        amount && currency,
      );
    },
    close() {
      db.close();
      return core.close();
    },
  };
}
