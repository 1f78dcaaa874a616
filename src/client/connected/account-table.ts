import { type Generated, type Selectable, sql } from "kysely";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Integer } from "../../platform/integer.js";

interface ConnectedAccountTable {
  id: Generated<number>;
  user_id: number;
  sealed_key: string;
  is_current: 0 | 1;
  refused_at: Integer | null;
  is_told: Generated<0 | 1>;
}
export type ConnectedAccountRow = Selectable<ConnectedAccountTable>;

declare module "../../database/schema.js" {
  interface Schema {
    connected_account: ConnectedAccountTable;
  }
}

const rows = () => qb.selectFrom("connected_account").selectAll();

export const connectedAccountById = prepare<{ id: number }, ConnectedAccountRow>((p) =>
  rows().where("id", "=", p.id),
);
export const currentOfUser = prepare<{ user_id: number }, ConnectedAccountRow>((p) =>
  rows().where("user_id", "=", p.user_id).where("is_current", "=", sql.lit(1)),
);
export const accountsOfUser = prepare<{ user_id: number }, ConnectedAccountRow>((p) =>
  rows().where("user_id", "=", p.user_id).orderBy("id", "desc"),
);
export const allConnectedAccounts = prepare<object, ConnectedAccountRow>(() => rows());
export const insertAccount = prepare<{ user_id: number; sealed_key: string }>((p) =>
  qb.insertInto("connected_account").values({ user_id: p.user_id, sealed_key: p.sealed_key, is_current: 1 }),
);
export const setKey = prepare<{ id: number; sealed_key: string }>((p) =>
  qb.updateTable("connected_account").set({ sealed_key: p.sealed_key }).where("id", "=", p.id),
);
export const setCurrent = prepare<{ id: number }>((p) =>
  qb
    .updateTable("connected_account")
    .set({ is_current: sql.lit(1) })
    .where("id", "=", p.id),
);
export const clearCurrent = prepare<{ user_id: number }>((p) =>
  qb
    .updateTable("connected_account")
    .set({ is_current: sql.lit(0) })
    .where("user_id", "=", p.user_id),
);
export const setRefused = prepare<{ id: number; sealed_key: string; refused_at: Integer }>((p) =>
  qb
    .updateTable("connected_account")
    .set({ refused_at: p.refused_at, is_told: sql.lit(0) })
    .where("id", "=", p.id)
    .where("sealed_key", "=", p.sealed_key)
    .where("refused_at", "is", sql.lit(null)),
);
export const clearRefused = prepare<{ id: number }>((p) =>
  qb
    .updateTable("connected_account")
    .set({ refused_at: sql.lit(null) })
    .where("id", "=", p.id),
);
export const setTold = prepare<{ id: number }>((p) =>
  qb
    .updateTable("connected_account")
    .set({ is_told: sql.lit(1) })
    .where("id", "=", p.id),
);
export const deleteAccount = prepare<{ id: number }>((p) =>
  qb.deleteFrom("connected_account").where("id", "=", p.id),
);
