import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { YookassaLookTable } from "./yookassa-table.js";

const select = prepare<{ shop_id: string }, YookassaLookTable>((p) =>
  qb.selectFrom("yookassa_look").selectAll().where("shop_id", "=", p.shop_id),
);
const save = prepare<YookassaLookTable>((p) =>
  qb
    .insertInto("yookassa_look")
    .values({ shop_id: p.shop_id, seen_at: p.seen_at })
    .onConflict((conflict) =>
      conflict.column("shop_id").doUpdateSet((eb) => ({ seen_at: eb.ref("excluded.seen_at") })),
    ),
);

/** Returns until when the lists of a shop were read, by the clock of the service. */
export function lookedUntil(database: Database, shopId: string): number | undefined {
  return database.first(select, { shop_id: shopId })?.seen_at;
}

export async function saveLook(database: Database, row: YookassaLookTable): Promise<void> {
  await database.write("yookassa:look", (tx) => tx.run(save, row));
}
