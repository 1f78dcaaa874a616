import { type Generated, type Selectable, sql } from "kysely";
import type { Kopecks } from "../../../contract/money.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";
import type { PersonNews } from "./uncertain-order.js";

interface UncertainTable {
  number: Generated<number>;
  order_id: string;
  created_at: Integer;
  balance_before_kopecks: Kopecks | null;
  balance_after_kopecks: Kopecks | null;
  person_news: PersonNews | null;
  told_admin_ids: string;
  repeated_until: Integer | null;
}
export type UncertainRow = Selectable<UncertainTable>;

declare module "../../../database/schema.js" {
  interface Schema {
    uncertain_record: UncertainTable;
  }
}

const UNCERTAIN = sql.lit("uncertain" as const);

export const recordByNumber = prepare<{ number: number }, UncertainRow>((p) =>
  qb.selectFrom("uncertain_record").selectAll().where("number", "=", p.number),
);
export const recordByOrder = prepare<{ order_id: string }, UncertainRow>((p) =>
  qb.selectFrom("uncertain_record").selectAll().where("order_id", "=", p.order_id),
);
// These read the partial index of uncertain orders, which are few.
export const openRecords = prepare<{ offset: number; limit: number }, UncertainRow>((p) =>
  qb
    .selectFrom("order")
    .innerJoin("uncertain_record", "order_id", "id")
    .selectAll("uncertain_record")
    .where("state", "=", UNCERTAIN)
    .orderBy("number", "desc")
    .limit(p.limit)
    .offset(p.offset),
);
export const repeatedRecords = prepare<object, Pick<UncertainRow, "order_id">>(() =>
  qb
    .selectFrom("order")
    .innerJoin("uncertain_record", "order_id", "id")
    .select("order_id")
    .where("state", "=", UNCERTAIN)
    .where("repeated_until", "is not", sql.lit(null)),
);
export const countOpenRecords = prepare<object, { count: number }>(() =>
  qb
    .selectFrom("order")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", UNCERTAIN),
);
export const recordsWithNews = prepare<object, Pick<UncertainRow, "order_id">>(() =>
  qb.selectFrom("uncertain_record").select("order_id").where("person_news", "is not", sql.lit(null)),
);
export const insertRecord = prepare<Omit<UncertainRow, "number">>((p) =>
  qb.insertInto("uncertain_record").values({
    order_id: p.order_id,
    created_at: p.created_at,
    balance_before_kopecks: p.balance_before_kopecks,
    balance_after_kopecks: p.balance_after_kopecks,
    person_news: p.person_news,
    told_admin_ids: p.told_admin_ids,
    repeated_until: p.repeated_until,
  }),
);
export const setNews = prepare<{ order_id: string; person_news: PersonNews }>((p) =>
  qb.updateTable("uncertain_record").set({ person_news: p.person_news }).where("order_id", "=", p.order_id),
);
export const clearNews = prepare<{ order_id: string; person_news: PersonNews }>((p) =>
  qb
    .updateTable("uncertain_record")
    .set({ person_news: null })
    .where("order_id", "=", p.order_id)
    .where("person_news", "=", p.person_news),
);
/** Ends the repeats. Everybody is told again: the order now waits for an admin. */
export const endRepeats = prepare<{ order_id: string }>((p) =>
  qb
    .updateTable("uncertain_record")
    .set({
      repeated_until: sql.lit(null),
      person_news: sql.lit("uncertain" as const),
      told_admin_ids: sql.lit("[]"),
    })
    .where("order_id", "=", p.order_id),
);
export const setToldAdmins = prepare<{ order_id: string; told_admin_ids: string }>((p) =>
  qb
    .updateTable("uncertain_record")
    .set({ told_admin_ids: p.told_admin_ids })
    .where("order_id", "=", p.order_id),
);
/** A test checks that none of these queries reads all rows. */
export const UNCERTAIN_QUERIES = {
  recordByNumber,
  recordByOrder,
  openRecords,
  repeatedRecords,
  countOpenRecords,
  recordsWithNews,
};
