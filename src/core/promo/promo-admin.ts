import type { Kopecks } from "../../contract/money.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { integer } from "../../platform/integer.js";
import type { PromoCode } from "../../ports/promo.js";
import { recordAct } from "../audit/audit-log.js";
import { promoCodeOf, readPromoCode } from "./promo-code.js";
import { allPromoCodes, insertNewCode } from "./promo-store.js";

export interface NewPromoCode {
  code: string;
  kopecks: Kopecks;
  usesMax: number;
  /** Milliseconds since the epoch. */
  validUntil: number;
}

/** Thrown for a code that cannot be made. The message is for the operator. */
export class PromoCodeError extends Error {
  override readonly name = "PromoCodeError";
}

/** Makes and lists promo codes for the operator, beside a running service. */
export interface PromoAdmin {
  /** Throws PromoCodeError. */
  create(code: NewPromoCode): Promise<PromoCode>;
  list(): PromoCode[];
}

export function createPromoAdmin({ database, clock }: { database: Database; clock: Clock }): PromoAdmin {
  return {
    async create({ code: text, kopecks, usesMax, validUntil }) {
      const code = readPromoCode(text);
      if (code === undefined)
        throw new PromoCodeError("a code has 4 to 40 letters A to Z, digits, hyphens and underscores");
      const at = clock.now();
      if (validUntil <= at) throw new PromoCodeError("the code would be over already");
      const row = {
        code,
        kopecks,
        uses: 0,
        uses_max: usesMax,
        valid_until: integer(validUntil),
        created_at: at,
      };
      const after = { kopecks, uses: usesMax, until: new Date(validUntil).toISOString() };
      const isNew = await database.write("promo:create", (tx) => {
        if (!insertNewCode(tx, row)) return false;
        const act = { actor: "ctl", act: "promo", accountId: null, subject: `promo:${code}`, before: null };
        recordAct(tx, { ...act, after, reason: null, at });
        return true;
      });
      if (!isNew) throw new PromoCodeError(`there is a code ${code} already`);
      return promoCodeOf(row);
    },
    list: () => allPromoCodes(database).map(promoCodeOf),
  };
}
