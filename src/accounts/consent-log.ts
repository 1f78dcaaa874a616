import type { Database } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";
import type { Accounts } from "./accounts.js";

/** A text that people agree to. Another version of it is another text. */
export interface AgreedText {
  /** Name of the document, such as `terms`. */
  document: string;
  version: string;
}

/** An agreement to one version of a document. Rows are never updated. */
interface Consent {
  account_id: number;
  document: string;
  version: string;
  agreed_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    consent: Consent;
  }
}

const consents = table("consent");

/** Lists what an account has agreed to, the newest first. */
export function consentsOfAccount(database: Database, account_id: number, limit: number): Consent[] {
  return consents.all(database, { account_id }, { orderBy: ["agreed_at desc"], limit });
}

/** Keeps to which texts people agreed, and when. */
export class ConsentLog {
  constructor(
    private readonly ground: Ground,
    private readonly accounts: Accounts,
  ) {}

  /** Tells whether a person has agreed to each of the texts. */
  hasAgreed(userId: number, texts: readonly AgreedText[]): boolean {
    const { database } = this.ground;
    const account_id = this.accounts.find(userId);
    if (account_id === undefined) return false;
    return texts.every(
      ({ document, version }) => consents.get(database, { account_id, document, version }) !== undefined,
    );
  }

  /** Records an agreement of a person who has an account. The first one of each text counts. */
  async agree(userId: number, texts: readonly AgreedText[]): Promise<void> {
    const { database, clock } = this.ground;
    await database.write("consent", (tx) => {
      const account_id = this.accounts.known(userId, tx);
      for (const { document, version } of texts)
        consents.insertOnce(tx, { account_id, document, version, agreed_at: clock.now() });
    });
  }
}
