import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";

/** A person who wants no news. */
interface NewsOptOutRow {
  user_id: number;
}

declare module "../../database/schema.js" {
  interface Schema {
    news_opt_out: NewsOptOutRow;
  }
}

const insert = prepare<NewsOptOutRow>((p) =>
  qb
    .insertInto("news_opt_out")
    .values({ user_id: p.user_id })
    .onConflict((conflict) => conflict.doNothing()),
);
const remove = prepare<NewsOptOutRow>((p) => qb.deleteFrom("news_opt_out").where("user_id", "=", p.user_id));
const select = prepare<NewsOptOutRow, NewsOptOutRow>((p) =>
  qb.selectFrom("news_opt_out").selectAll().where("user_id", "=", p.user_id),
);

/** Stores who wants no news. It outlives an erasure: somebody who comes back is not written to unasked. */
export class NewsOptOuts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  isOut(userId: number): boolean {
    return this.#database.first(select, { user_id: userId }) !== undefined;
  }

  async set(userId: number, isOut: boolean): Promise<void> {
    const statement = isOut ? insert : remove;
    await this.#database.write("news", (tx: Transaction) => void tx.run(statement, { user_id: userId }));
  }
}
