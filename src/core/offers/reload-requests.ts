import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { recordAct } from "../audit/audit-log.js";
import type { Reloadable } from "./offers-table.js";

const insert = prepare<{ what: Reloadable; asked_at: Integer }>((p) =>
  qb
    .insertInto("offers_reload")
    .values({ what: p.what, asked_at: p.asked_at, answered_at: null, problem: null }),
);
const removeOld = prepare<{ id: number }>((p) => qb.deleteFrom("offers_reload").where("id", "<=", p.id));
const selectOpen = prepare<{ what: Reloadable }, { id: number }>((p) =>
  qb
    .selectFrom("offers_reload")
    .select("id")
    .where("what", "=", p.what)
    .where("answered_at", "is", null)
    .limit(1),
);
const answerOpen = prepare<{ what: Reloadable; answered_at: Integer; problem: string | null }>((p) =>
  qb
    .updateTable("offers_reload")
    .set({ answered_at: p.answered_at, problem: p.problem })
    .where("what", "=", p.what)
    .where("answered_at", "is", null),
);
const selectAnswer = prepare<{ id: number }, { problem: string | null }>((p) =>
  qb
    .selectFrom("offers_reload")
    .select("problem")
    .where("id", "=", p.id)
    .where("answered_at", "is not", null),
);

/** Carries the wish to read files anew from the command line to the service, and the outcome back. */
export class ReloadRequests {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #what: Reloadable;

  constructor(database: Database, clock: Clock, what: Reloadable = "offers") {
    this.#database = database;
    this.#clock = clock;
    this.#what = what;
  }

  /** Asks the service. @returns the number of the request */
  ask(): Promise<number> {
    return this.#database.write("reload:ask", (tx) => {
      const id = tx.insert(insert, { what: this.#what, asked_at: this.#clock.now() });
      tx.run(removeOld, { id: id - KEPT });
      return id;
    });
  }

  /** Returns the outcome; undefined before the service has answered. */
  outcomeOf(id: number): { problem: string | null } | undefined {
    return this.#database.first(selectAnswer, { id });
  }

  get isAsked(): boolean {
    return this.#database.first(selectOpen, { what: this.#what }) !== undefined;
  }

  /** Answers all open requests. A good reload is recorded as an act of the operator. */
  async answer(problem: string | null): Promise<void> {
    await this.#database.write("reload:answer", (tx) => {
      const at = this.#clock.now();
      const isAnswered = tx.run(answerOpen, { what: this.#what, answered_at: at, problem }) > 0;
      if (isAnswered && problem === null) recordAct(tx, { ...RELOAD, subject: this.#what, at });
    });
  }
}

/** Number of the latest requests that are kept. */
const KEPT = 10;

const RELOAD = {
  actor: "ctl",
  act: "reload",
  accountId: null,
  before: null,
  after: null,
  reason: null,
};
