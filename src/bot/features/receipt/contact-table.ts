import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Clock } from "../../../platform/clock.js";
import type { Integer } from "../../../platform/integer.js";
import type { ReceiptContact } from "../../../ports/till.js";
import type { OwnData } from "../../own-data.js";
import { readContact } from "./read-contact.js";

/** The address that a person's receipts go to. */
export interface ReceiptContactTable {
  user_id: number;
  /** An e-mail address, or the digits of a telephone number. */
  contact: string;
  changed_at: Integer;
}

declare module "../../../database/schema.js" {
  interface Schema {
    receipt_contact: ReceiptContactTable;
  }
}

const select = prepare<{ user_id: number }, ReceiptContactTable>((p) =>
  qb.selectFrom("receipt_contact").selectAll().where("user_id", "=", p.user_id),
);
const save = prepare<ReceiptContactTable>((p) =>
  qb
    .insertInto("receipt_contact")
    .values({ user_id: p.user_id, contact: p.contact, changed_at: p.changed_at })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet((eb) => ({
        contact: eb.ref("excluded.contact"),
        changed_at: eb.ref("excluded.changed_at"),
      })),
    ),
);
const erase = prepare<{ user_id: number }>((p) =>
  qb.deleteFrom("receipt_contact").where("user_id", "=", p.user_id),
);

/** Keeps where receipts go, until people change it or are forgotten. */
export class ReceiptContacts {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  of(userId: number): ReceiptContact | undefined {
    const row = this.#database.first(select, { user_id: userId });
    return row && readContact(row.contact);
  }

  async save(userId: number, contact: ReceiptContact): Promise<void> {
    const row = { user_id: userId, contact: contactText(contact), changed_at: this.#clock.now() };
    await this.#database.write("receipt-contact", (tx) => tx.run(save, row));
  }

  get ownData(): OwnData {
    return {
      sections: (userId) => [
        {
          name: "receipts",
          rows: this.#database.all(select, { user_id: userId }).map(({ contact, changed_at }) => ({
            contact,
            changed_at: new Date(changed_at).toISOString(),
          })),
        },
      ],
      eraseIn: (tx, userId) => void tx.run(erase, { user_id: userId }),
    };
  }
}

function contactText(contact: ReceiptContact): string {
  return "email" in contact ? contact.email : contact.phone;
}
