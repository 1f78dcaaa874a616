import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { asKopecks, type Kopecks, NO_KOPECKS } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import { type Integer, integer } from "../../platform/integer.js";
import type { Period } from "../../ports/figures.js";
import type { TillSum } from "../../ports/summary.js";
import { lastIdBefore } from "../ledger/last-id-before.js";
import { ENTRY_REASONS, tillActor, tillOfActor } from "./entry-reasons.js";

/** Limits the ids looked at per turn of the event loop (about 1 ms). */
const CHUNK_IDS = 4000;

interface Range {
  after: number;
  upTo: number;
  from: Integer;
  until: Integer;
}

const selectTillEntries = prepare<Range, { actor: string; reason: string | null; amount: Kopecks }>((p) =>
  qb
    .selectFrom("ledger_entry")
    .select((eb) => ["actor", "reason", eb.fn.sum<Kopecks>("amount").as("amount")])
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("created_at", ">=", p.from)
    .where("created_at", "<", p.until)
    .where("actor", "like", sql.lit(`${tillActor("")}%`))
    .groupBy("actor")
    .groupBy("reason"),
);
const selectNextEntry = prepare<{ after: number }, { id: number; created_at: Integer }>((p) =>
  qb
    .selectFrom("ledger_entry")
    .select(["id", "created_at"])
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(sql.lit(1)),
);
const selectLastEntry = prepare<object, { id: number }>(() =>
  qb.selectFrom("ledger_entry").select("id").orderBy("id", "desc").limit(sql.lit(1)),
);

export const TILL_SUM_QUERIES = { selectTillEntries, selectNextEntry };

/** Sums by till what the ledger says of a period, in turns of the event loop. */
export async function readTillSums(database: Database, period: Period): Promise<TillSum[]> {
  const lastId = database.first(selectLastEntry, {})?.id ?? 0;
  const next = (after: number) => database.first(selectNextEntry, { after });
  const [from, until] = [integer(period.from), integer(period.until)];
  const sums = new Map<string, TillSum>();
  for (let after = lastIdBefore(period.from, { lastId, next }); after < lastId; await setImmediate()) {
    const upTo = Math.min(lastId, after + CHUNK_IDS);
    for (const { actor, reason, amount } of database.all(selectTillEntries, { after, upTo, from, until })) {
      const till = tillOfActor(actor);
      const known = sums.get(till) ?? { till, paid: NO_KOPECKS, returned: NO_KOPECKS };
      if (reason === ENTRY_REASONS.paid) sums.set(till, { ...known, paid: asKopecks(known.paid + amount) });
      if (reason === ENTRY_REASONS.refunded || reason === ENTRY_REASONS.kept)
        sums.set(till, { ...known, returned: asKopecks(known.returned - amount) });
    }
    after = upTo;
  }
  return [...sums.values()].sort((a, b) => (a.till < b.till ? -1 : 1));
}
