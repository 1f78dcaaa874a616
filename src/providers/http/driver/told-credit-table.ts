import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

/** Says that operators were told of a low balance, until it is no longer low. */
interface ToldCreditRow {
  provider: string;
  /** Milliseconds since the epoch. */
  told_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    told_credit: ToldCreditRow;
  }
}

const select = prepare<{ provider: string }, ToldCreditRow>((p) =>
  qb.selectFrom("told_credit").selectAll().where("provider", "=", p.provider),
);
const upsert = prepare<ToldCreditRow>((p) =>
  qb
    .insertInto("told_credit")
    .values({ provider: p.provider, told_at: p.told_at })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet({ told_at: p.told_at })),
);
const remove = prepare<{ provider: string }>((p) =>
  qb.deleteFrom("told_credit").where("provider", "=", p.provider),
);

/** Keeps when operators were told of the low balance of one service, over restarts. */
export class ToldCredit {
  readonly #database: Database;
  readonly #provider: string;

  constructor(database: Database, provider: string) {
    this.#database = database;
    this.#provider = provider;
  }

  /** Returns the time in ms since the epoch; undefined while nothing is to be told. */
  get at(): Integer | undefined {
    return this.#database.first(select, { provider: this.#provider })?.told_at;
  }

  keep(told_at: Integer): Promise<void> {
    const row = { provider: this.#provider, told_at };
    return this.#database.write("credit-told", (tx) => void tx.run(upsert, row));
  }

  forget(): Promise<void> {
    const row = { provider: this.#provider };
    return this.#database.write("credit-forgotten", (tx) => void tx.run(remove, row));
  }
}
