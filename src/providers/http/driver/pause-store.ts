import type { Database } from "../../../database/database.js";
import { prepare, queryBuilder } from "../../../database/prepared.js";
import type { PauseReason } from "../../../ports/provider.js";

/** Times in ms since the epoch. */
interface PauseRow {
  provider: string;
  reason: PauseReason;
  since_at: number;
}

const qb = queryBuilder<{ upstream_pause: PauseRow }>();
const selectOne = prepare<{ provider: string }, PauseRow>((p) =>
  qb.selectFrom("upstream_pause").selectAll().where("provider", "=", p.provider),
);
const upsert = prepare<PauseRow>((p) =>
  qb
    .insertInto("upstream_pause")
    .values({ provider: p.provider, reason: p.reason, since_at: p.since_at })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet({ reason: p.reason })),
);
const deleteOne = prepare<{ provider: string }>((p) =>
  qb.deleteFrom("upstream_pause").where("provider", "=", p.provider),
);

/** The pause of one service. An operator ends it by deleting the row, also from another process. */
export class PauseStore {
  readonly #database: Database;
  readonly #provider: string;

  constructor(database: Database, provider: string) {
    this.#database = database;
    this.#provider = provider;
  }

  read(): { reason: PauseReason; since: number } | undefined {
    const row = this.#database.first(selectOne, { provider: this.#provider });
    return row && { reason: row.reason, since: row.since_at };
  }

  set(reason: PauseReason, since: number): Promise<void> {
    const row = { provider: this.#provider, reason, since_at: since };
    return this.#database.write("upstream:paused", (tx) => void tx.run(upsert, row));
  }

  remove(): Promise<void> {
    return this.#database.write(
      "upstream:resumed",
      (tx) => void tx.run(deleteOne, { provider: this.#provider }),
    );
  }
}
