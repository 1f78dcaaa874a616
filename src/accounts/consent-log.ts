import type { Database } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";

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

/** Tells whether an account has agreed to each of the texts. */
export function hasAgreed(database: Database, account_id: number, texts: readonly AgreedText[]): boolean {
  return texts.every(
    ({ document, version }) => consents.get(database, { account_id, document, version }) !== undefined,
  );
}

/** Records an agreement. The first one of each text counts. */
export async function agree(
  { database, clock }: Pick<Ground, "database" | "clock">,
  account_id: number,
  texts: readonly AgreedText[],
): Promise<void> {
  await database.write("consent", (tx) => {
    for (const { document, version } of texts)
      consents.insertOnce(tx, { account_id, document, version, agreed_at: clock.now() });
  });
}
