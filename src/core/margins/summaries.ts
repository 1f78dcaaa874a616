import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Rates } from "../../mapping/service-settings.js";
import type { QueueNow, Summaries } from "../../ports/summary.js";
import { queueDepth } from "../jobs/queue-depth.js";
import { readTillSums } from "../till/till-sums.js";
import { readFigures } from "./figures.js";

const countGenerating = prepare<object, { jobs: number }>(() =>
  qb
    .selectFrom("job")
    .select((eb) => eb.fn.countAll<number>().as("jobs"))
    .where("status", "=", sql.lit("generating" as const)),
);

interface SummariesOptions {
  database: Database;
  /** Rubles for one unit of a currency. */
  rates: () => Rates;
}

/** Creates the reader that the desk and the operator's command line share. */
export function createSummaries({ database, rates }: SummariesOptions): Summaries {
  return {
    async read(whole, parts) {
      const [figures, ...ofParts] = await readFigures(database, [whole, ...parts], rates());
      if (!figures) throw new Error("a period has no figures");
      const tills = await readTillSums(database, whole);
      return { whole: figures, parts: ofParts, tills, queue: await readQueue(database) };
    },
  };
}

async function readQueue(database: Database): Promise<QueueNow> {
  const { queued, oldestQueuedAt } = await queueDepth(database);
  return {
    waiting: Object.values(queued).reduce((sum, jobs) => sum + jobs, 0),
    generating: database.first(countGenerating, {})?.jobs ?? 0,
    oldestAt: oldestQueuedAt ?? null,
  };
}
