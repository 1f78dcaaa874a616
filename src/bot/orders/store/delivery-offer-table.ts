import { sql } from "kysely";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Integer } from "../../../platform/integer.js";

interface OfferRow {
  order_id: string;
  user_id: number;
  /** Null until the person is told that the files are kept. */
  offered_at: Integer | null;
}

declare module "../../../database/schema.js" {
  interface Schema {
    delivery_offer: OfferRow;
  }
}

export const insertOffer = prepare<{ id: string; user_id: number }>((p) =>
  qb
    .insertInto("delivery_offer")
    .values({ order_id: p.id, user_id: p.user_id, offered_at: null })
    .onConflict((conflict) => conflict.column("order_id").doUpdateSet({ offered_at: null })),
);
export const offerByOrder = prepare<{ id: string }, OfferRow>((p) =>
  qb.selectFrom("delivery_offer").selectAll().where("order_id", "=", p.id),
);
export const dueOffersOfUser = prepare<{ user_id: number }, Pick<OfferRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery_offer")
    .select("order_id")
    .where("user_id", "=", p.user_id)
    .where("offered_at", "is", sql.lit(null))
    .orderBy("order_id"),
);
export const setOffered = prepare<{ id: string; now: Integer }>((p) =>
  qb.updateTable("delivery_offer").set({ offered_at: p.now }).where("order_id", "=", p.id),
);
export const expiredOfUser = prepare<{ user_id: number }, Pick<OfferRow, "order_id">>((p) =>
  qb
    .selectFrom("delivery_offer")
    .innerJoin("delivery", "delivery.order_id", "delivery_offer.order_id")
    .select("delivery.order_id")
    .where("delivery_offer.user_id", "=", p.user_id)
    .where("delivery.state", "=", "expired")
    .orderBy("delivery.created_at"),
);
/** A test checks that each of these queries uses an index. The first one runs for every private message. */
export const OFFER_QUERIES = { dueOffersOfUser, expiredOfUser };
