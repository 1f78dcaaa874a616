import { z } from "zod";
import type { Database } from "../../database/database.js";
import { table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import type { ReceiptContact } from "../../tills/till.js";

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

/** The address that a person's receipts go to. */
interface ReceiptContactTable {
  user_id: number;
  /** An e-mail address, or the digits of a telephone number. */
  contact: string;
  changed_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    receipt_contact: ReceiptContactTable;
  }
}

export const receiptContacts = table("receipt_contact");

export function contactOf(database: Database, userId: number): ReceiptContact | undefined {
  const row = receiptContacts.get(database, { user_id: userId });
  return row && readContact(row.contact);
}
