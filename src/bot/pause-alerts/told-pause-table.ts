import type { Database } from "../../database/database.js";
import { prepare, queryBuilder } from "../../database/prepared.js";

export interface ToldPause {
  admin_id: number;
  provider: string;
}

const qb = queryBuilder<{ told_pause: ToldPause }>();
const selectAll = prepare<object, ToldPause>(() => qb.selectFrom("told_pause").selectAll());
const insertOne = prepare<ToldPause>((p) =>
  qb
    .insertInto("told_pause")
    .values({ admin_id: p.admin_id, provider: p.provider })
    .onConflict((conflict) => conflict.doNothing()),
);
const deleteOne = prepare<ToldPause>((p) =>
  qb.deleteFrom("told_pause").where("admin_id", "=", p.admin_id).where("provider", "=", p.provider),
);

/** Pauses that admins know of. */
export class ToldPauses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): ToldPause[] {
    return this.#database.all(selectAll, {});
  }

  add(told: ToldPause): Promise<void> {
    return this.#database.write("pause-told", (tx) => void tx.run(insertOne, told));
  }

  remove(told: ToldPause): Promise<void> {
    return this.#database.write("pause-end-told", (tx) => void tx.run(deleteOne, told));
  }
}
