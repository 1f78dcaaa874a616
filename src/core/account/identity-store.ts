import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { IdentityRow } from "./identity-table.js";

/** A person as a front-end knows them: `subject` is their id there. Belongs to one account. */
export type Identity = Pick<IdentityRow, "kind" | "subject">;

const insert = prepare<IdentityRow>((p) =>
  qb.insertInto("identity").values({ kind: p.kind, subject: p.subject, account_id: p.account_id }),
);
const selectAccount = prepare<Identity, Pick<IdentityRow, "account_id">>((p) =>
  qb.selectFrom("identity").select("account_id").where("kind", "=", p.kind).where("subject", "=", p.subject),
);
const selectOfAccount = prepare<{ accountId: number }, Identity>((p) =>
  qb.selectFrom("identity").select(["kind", "subject"]).where("account_id", "=", p.accountId).orderBy("kind"),
);
const selectAll = prepare<object, IdentityRow>(() =>
  qb.selectFrom("identity").selectAll().orderBy("account_id").orderBy("kind"),
);

export const IDENTITY_QUERIES = { selectAccount, selectOfAccount };

type Source = Transaction | Database;

/** Throws SQLITE_CONSTRAINT when the person has an account, or the account has an identity of this kind. */
export function insertIdentity(tx: Transaction, accountId: number, { kind, subject }: Identity): void {
  tx.run(insert, { kind, subject, account_id: accountId });
}

export function accountIdOf(source: Source, identity: Identity): number | undefined {
  return source.first(selectAccount, identity)?.account_id;
}

export function identitiesOf(source: Source, accountId: number): Identity[] {
  return source.all(selectOfAccount, { accountId });
}

/** Returns the identities by account id. */
export function allIdentities(source: Source): Map<number, Identity[]> {
  const byAccount = new Map<number, Identity[]>();
  for (const { account_id, ...identity } of source.all(selectAll, {})) {
    const found = byAccount.get(account_id);
    if (found) found.push(identity);
    else byAccount.set(account_id, [identity]);
  }
  return byAccount;
}
