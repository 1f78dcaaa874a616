import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

export interface ToldPause {
  admin_id: number;
  provider: string;
  /** The message. Absent for what an earlier release told. */
  message_id: number | null;
  /** The words of the message, as a key. */
  shown: string;
  /** Milliseconds since the epoch at which the service came back. */
  up_since: Integer | null;
}

declare module "../../../database/schema.js" {
  interface Schema {
    told_pause: ToldPause;
  }
}

const selectAll = prepare<object, ToldPause>(() => qb.selectFrom("told_pause").selectAll());
const upsert = prepare<ToldPause>((p) => {
  const values = { message_id: p.message_id, shown: p.shown, up_since: p.up_since };
  return qb
    .insertInto("told_pause")
    .values({ admin_id: p.admin_id, provider: p.provider, ...values })
    .onConflict((conflict) => conflict.columns(["admin_id", "provider"]).doUpdateSet(values));
});
const deleteOne = prepare<Pick<ToldPause, "admin_id" | "provider">>((p) =>
  qb.deleteFrom("told_pause").where("admin_id", "=", p.admin_id).where("provider", "=", p.provider),
);

/** Stores what admins were told of services that take no tasks. A row lasts as long as its episode. */
export class ToldPauses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): ToldPause[] {
    return this.#database.all(selectAll, {});
  }

  keep(told: ToldPause): Promise<void> {
    return this.#database.write("pause-told", (tx) => void tx.run(upsert, told));
  }

  remove(told: ToldPause): Promise<void> {
    return this.#database.write("pause-forgotten", (tx) => void tx.run(deleteOne, told));
  }
}
