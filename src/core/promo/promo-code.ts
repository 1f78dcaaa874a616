import type { PromoCode } from "../../ports/promo.js";
import type { PromoCodeRow } from "./promo-table.js";

/** A code fits into a link to the bot, after `p_`. */
const CODE = /^[A-Z0-9_-]{4,40}$/;

/** Reads a code in any case. Undefined for text that is none. */
export function readPromoCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODE.test(code) ? code : undefined;
}

export function promoCodeOf(row: PromoCodeRow): PromoCode {
  const { code, kopecks, uses, uses_max: usesMax, valid_until: validUntil } = row;
  return { code, kopecks, uses, usesMax, validUntil };
}
