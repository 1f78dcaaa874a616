import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import { type Integer, integer } from "../../../platform/integer.js";
import type { PauseReason } from "../../../ports/provider.js";
import type { StateRow } from "./state-table.js";

/** Why a service is not up. Times in ms since the epoch. */
export interface KeptState {
  state: StateRow["state"];
  reason?: PauseReason | undefined;
  since: number;
  nextTryAt?: number | undefined;
  balance?: number | undefined;
  isResumeAsked?: boolean;
}

/** What the service writes: a request to resume outlives it. */
type WrittenRow = Omit<StateRow, "resume_asked_at">;

const selectOne = prepare<{ provider: string }, StateRow>((p) =>
  qb.selectFrom("upstream_state").selectAll().where("provider", "=", p.provider),
);
const valuesOf = ({ state, reason, since_at, next_try_at, balance }: WrittenRow) => ({
  state,
  reason,
  since_at,
  next_try_at,
  balance,
});
const upsert = prepare<WrittenRow>((p) =>
  qb
    .insertInto("upstream_state")
    .values({ provider: p.provider, ...valuesOf(p), resume_asked_at: null })
    .onConflict((conflict) => conflict.column("provider").doUpdateSet(valuesOf(p))),
);
const updateOne = prepare<WrittenRow>((p) =>
  qb.updateTable("upstream_state").set(valuesOf(p)).where("provider", "=", p.provider),
);
const askOne = prepare<{ provider: string; resume_asked_at: Integer }>((p) =>
  qb
    .updateTable("upstream_state")
    .set({ resume_asked_at: p.resume_asked_at })
    .where("provider", "=", p.provider),
);
const deleteOne = prepare<{ provider: string }>((p) =>
  qb.deleteFrom("upstream_state").where("provider", "=", p.provider),
);

/** Stores what keeps one service from being up. Another process ends it by a request in the row, or without a running service by deleting the row. */
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
        isResumeAsked: row.resume_asked_at !== null,
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

  askToResume(at: Integer): Promise<void> {
    const asked = { provider: this.#provider, resume_asked_at: at };
    return this.#database.write("upstream:resume", (tx) => void tx.run(askOne, asked));
  }

  remove(): Promise<void> {
    return this.#database.write("upstream:up", (tx) => void tx.run(deleteOne, { provider: this.#provider }));
  }

  #rowOf({ state, reason, since, nextTryAt, balance }: KeptState): WrittenRow {
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
