import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { PeopleCount, Period } from "../../ports/figures.js";
import type { PersonRow } from "./person-table.js";

/** People read per turn of the event loop (about 1 ms). */
const CHUNK_PEOPLE = 1000;

type Seen = Pick<PersonRow, "telegram_id" | "first_seen_at" | "last_seen_at">;

const selectAfter = prepare<{ after: number }, Seen>((p) =>
  qb
    .selectFrom("person")
    .select(["telegram_id", "first_seen_at", "last_seen_at"])
    .where("telegram_id", ">", p.after)
    .orderBy("telegram_id")
    .limit(sql.lit(CHUNK_PEOPLE)),
);

/** Counts who wrote for the first time in a period, and who came back in it or after it. Reads all people, in turns of the event loop. */
export async function countPeople(database: Database, { from, until }: Period): Promise<PeopleCount> {
  const count = { fresh: 0, returning: 0 };
  for (let after = Number.MIN_SAFE_INTEGER; ; await setImmediate()) {
    const people = database.all(selectAfter, { after });
    for (const { first_seen_at: first, last_seen_at: last } of people) {
      if (first >= from && first < until) count.fresh += 1;
      if (first < from && last >= from) count.returning += 1;
    }
    const last = people.at(-1);
    if (!last || people.length < CHUNK_PEOPLE) return count;
    after = last.telegram_id;
  }
}
