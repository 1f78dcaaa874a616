import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import { integer } from "../../../platform/integer.js";
import type { PauseReason } from "../../../ports/provider.js";
import type { StateRow } from "./state-table.js";

/** Why a service is not up. Times in ms since the epoch. */
export interface KeptState {
  state: StateRow["state"];
  reason?: PauseReason | undefined;
  since: number;
  nextTryAt?: number | undefined;
  balance?: number | undefined;
}

const selectOne = prepare<{ provider: string }, StateRow>((p) =>
  qb.selectFrom("upstream_state").selectAll().where("provider", "=", p.provider),
);
const valuesOf = ({ state, reason, since_at, next_try_at, balance }: StateRow) => ({
  state,
  reason,
  since_at,
  next_try_at,
  balance,
});
const upsert = prepare<StateRow>((p) =>
  qb
    .insertInto("upstream_state")
    .values({ provider: p.provider, ...valuesOf(p) })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet(valuesOf(p))),
);
const updateOne = prepare<StateRow>((p) =>
  qb.updateTable("upstream_state").set(valuesOf(p)).where("provider", "=", p.provider),
);
const deleteOne = prepare<{ provider: string }>((p) =>
  qb.deleteFrom("upstream_state").where("provider", "=", p.provider),
);

/** Stores what keeps one service from being up. An operator ends it by deleting the row, also from another process. */
export class StateStore {
  readonly #database: Database;
  readonly #provider: string;

  constructor(database: Database, provider: string) {
    this.#database = database;
    this.#provider = provider;
  }

  read(): KeptState | undefined {
    const row = this.#database.first(selectOne, { provider: this.#provider });
    return (
      row && {
        state: row.state,
        reason: row.reason ?? undefined,
        since: row.since_at,
        nextTryAt: row.next_try_at ?? undefined,
        balance: row.balance ?? undefined,
      }
    );
  }

  insert(kept: KeptState): Promise<void> {
    return this.#database.write("upstream:state", (tx) => void tx.run(upsert, this.#rowOf(kept)));
  }

  /** Returns false when the row was deleted meanwhile. */
  update(kept: KeptState): Promise<boolean> {
    return this.#database.write("upstream:state", (tx) => tx.run(updateOne, this.#rowOf(kept)) === 1);
  }

  remove(): Promise<void> {
    return this.#database.write("upstream:up", (tx) => void tx.run(deleteOne, { provider: this.#provider }));
  }

  #rowOf({ state, reason, since, nextTryAt, balance }: KeptState): StateRow {
    return {
      provider: this.#provider,
      state,
      reason: reason ?? null,
      since_at: integer(since),
      next_try_at: nextTryAt === undefined ? null : integer(nextTryAt),
      balance: balance ?? null,
    };
  }
}
