import { z } from "zod";
import type { ReceiptContact } from "../../../ports/till.js";

const email = z.email().max(128);
/** Digits of a telephone number with its country, as receipts take them. */
const phone = z.string().regex(/^[1-9]\d{10,14}$/);

/** Reads an e-mail address or a telephone number as people type it. `8 900 …` is a number of Russia. */
export function readContact(text: string): ReceiptContact | undefined {
  const word = text.trim();
  const address = email.safeParse(word);
  if (address.success) return { email: address.data };
  if (!/^\+?[\d\s()-]{1,30}$/.test(word)) return undefined;
  const digits = word.replace(/\D/g, "");
  const number = phone.safeParse(digits.length === 11 ? digits.replace(/^8/, "7") : digits);
  return number.success ? { phone: number.data } : undefined;
}
