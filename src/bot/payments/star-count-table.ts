import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";

/** How far the transactions of a bot were read. They are numbered from the oldest. */
export interface StarCountRow {
  bot_id: number;
  /** Transactions from before this service: what no invoice here explains is not its business. */
  foreign_count: number;
  read_count: number;
}

declare module "../../database/schema.js" {
  interface Schema {
    star_count: StarCountRow;
  }
}

const select = prepare<{ bot_id: number }, StarCountRow>((p) =>
  qb.selectFrom("star_count").selectAll().where("bot_id", "=", p.bot_id),
);
const save = prepare<StarCountRow>((p) =>
  qb
    .insertInto("star_count")
    .values({ bot_id: p.bot_id, foreign_count: p.foreign_count, read_count: p.read_count })
    .onConflict((conflict) =>
      conflict.column("bot_id").doUpdateSet((eb) => ({ read_count: eb.ref("excluded.read_count") })),
    ),
);

export function starCountOf(database: Database, botId: number): StarCountRow | undefined {
  return database.first(select, { bot_id: botId });
}

export async function saveStarCount(database: Database, row: StarCountRow): Promise<void> {
  await database.write("star-count", (tx) => tx.run(save, row));
}
