import type { Selectable } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Clock } from "../../platform/clock.js";
import type { AgreedText, Consents } from "../../ports/consents.js";
import { NoSuchAccountError } from "../account/account-store.js";
import { accountIdOf, type Identity } from "../account/identity-store.js";
import type { ConsentTable } from "./consent-table.js";

type ConsentRow = Selectable<ConsentTable>;

const insert = prepare<ConsentRow>((p) =>
  qb
    .insertInto("consent")
    .values({
      account_id: p.account_id,
      document: p.document,
      version: p.version,
      agreed_at: p.agreed_at,
    })
    .onConflict((conflict) => conflict.columns(["account_id", "document", "version"]).doNothing()),
);
const select = prepare<Omit<ConsentRow, "agreed_at">, ConsentRow>((p) =>
  qb
    .selectFrom("consent")
    .selectAll()
    .where("account_id", "=", p.account_id)
    .where("document", "=", p.document)
    .where("version", "=", p.version),
);

interface ConsentLogOptions {
  database: Database;
  /** The kind of identity that people have. */
  identityKind: string;
  clock: Clock;
}

export class ConsentLog implements Consents {
  readonly #options: ConsentLogOptions;

  constructor(options: ConsentLogOptions) {
    this.#options = options;
  }

  hasAgreed(userId: number, texts: readonly AgreedText[]): boolean {
    const { database } = this.#options;
    const account_id = accountIdOf(database, this.#identityOf(userId));
    if (account_id === undefined) return false;
    return texts.every((text) => database.first(select, { account_id, ...text }) !== undefined);
  }

  async agree(userId: number, texts: readonly AgreedText[]): Promise<void> {
    const { database, clock } = this.#options;
    await database.write("consent", (tx) => {
      const account_id = accountIdOf(tx, this.#identityOf(userId));
      if (account_id === undefined) throw new NoSuchAccountError(`of user ${userId}`);
      for (const text of texts) tx.run(insert, { account_id, ...text, agreed_at: clock.now() });
    });
  }

  #identityOf(userId: number): Identity {
    return { kind: this.#options.identityKind, subject: String(userId) };
  }
}
