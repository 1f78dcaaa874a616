import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Clock } from "../../platform/clock.js";
import type { OffersToldTable } from "./offers-table.js";

const select = prepare<Record<never, never>, Pick<OffersToldTable, "fingerprint">>(() =>
  qb.selectFrom("offers_told").select("fingerprint"),
);
const upsert = prepare<Omit<OffersToldTable, "id">>((p) =>
  qb
    .insertInto("offers_told")
    .values({ id: 1, fingerprint: p.fingerprint, at: p.at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ fingerprint: p.fingerprint, at: p.at })),
);

/** Remembers what admins were told of the prices, so that a restart does not repeat it. */
export class ToldPrices {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  get fingerprint(): string | undefined {
    return this.#database.first(select, {})?.fingerprint;
  }

  async save(fingerprint: string): Promise<void> {
    await this.#database.write("offers:told", (tx) => tx.run(upsert, { fingerprint, at: this.#clock.now() }));
  }
}
