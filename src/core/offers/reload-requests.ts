import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { recordAct } from "../audit/audit-log.js";

const insert = prepare<{ asked_at: Integer }>((p) =>
  qb.insertInto("offers_reload").values({ asked_at: p.asked_at, answered_at: null, problem: null }),
);
const removeOld = prepare<{ id: number }>((p) => qb.deleteFrom("offers_reload").where("id", "<=", p.id));
const selectOpen = prepare<Record<never, never>, { id: number }>(() =>
  qb.selectFrom("offers_reload").select("id").where("answered_at", "is", null).limit(1),
);
const answerOpen = prepare<{ answered_at: Integer; problem: string | null }>((p) =>
  qb
    .updateTable("offers_reload")
    .set({ answered_at: p.answered_at, problem: p.problem })
    .where("answered_at", "is", null),
);
const selectAnswer = prepare<{ id: number }, { problem: string | null }>((p) =>
  qb
    .selectFrom("offers_reload")
    .select("problem")
    .where("id", "=", p.id)
    .where("answered_at", "is not", null),
);

/** Carries the wish to read the offers anew from the command line to the service, and the outcome back. */
export class ReloadRequests {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Asks the service. @returns the number of the request */
  ask(): Promise<number> {
    return this.#database.write("offers:ask", (tx) => {
      const id = tx.insert(insert, { asked_at: this.#clock.now() });
      tx.run(removeOld, { id: id - KEPT });
      return id;
    });
  }

  /** Returns the outcome; undefined before the service has answered. */
  outcomeOf(id: number): { problem: string | null } | undefined {
    return this.#database.first(selectAnswer, { id });
  }

  get isAsked(): boolean {
    return this.#database.first(selectOpen, {}) !== undefined;
  }

  /** Answers all open requests. A good reload is recorded as an act of the operator. */
  async answer(problem: string | null): Promise<void> {
    await this.#database.write("offers:answer", (tx) => {
      const at = this.#clock.now();
      const isAnswered = tx.run(answerOpen, { answered_at: at, problem }) > 0;
      if (isAnswered && problem === null) recordAct(tx, { ...RELOAD, at });
    });
  }
}

/** Number of the latest requests that are kept. */
const KEPT = 10;

const RELOAD = {
  actor: "ctl",
  act: "reload",
  accountId: null,
  subject: "offers",
  before: null,
  after: null,
  reason: null,
};
