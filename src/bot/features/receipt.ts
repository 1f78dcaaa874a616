import { Composer } from "grammy";
import { z } from "zod";
import type { Database } from "../../database/database.js";
import { prepare, qb } from "../../database/prepared.js";
import { table } from "../../database/table.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { ReceiptContact } from "../../tills/till.js";
import type { BotContext } from "../context.js";
import { type AnswerOutcome, ask, questionDialog } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { OwnData } from "../people/people.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap, callbackData } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";
import type { SettingsEntry } from "./settings.js";
import { type BuyDeps, buy, RECEIPT_CONTACT, type WaitingTopUp } from "./topup.js";

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

const contacts = table("receipt_contact");
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

/** Keeps where receipts go, until people change it or are forgotten. */
export class ReceiptContacts {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  of(userId: number): ReceiptContact | undefined {
    const row = contacts.get(this.#database, { user_id: userId });
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
          rows: contacts.all(this.#database, { user_id: userId }).map(({ contact, changed_at }) => ({
            contact,
            changed_at: new Date(changed_at).toISOString(),
          })),
        },
      ],
      eraseIn: (tx, userId) => void contacts.delete(tx, { user_id: userId }),
    };
  }
}

function contactText(contact: ReceiptContact): string {
  return "email" in contact ? contact.email : contact.phone;
}

/** Encodes `rc:a`: the one button, which asks anew. */
const receiptTap = callbackData<object>({
  prefix: "rc",
  encode: () => ["a"],
  decode: ([letter, ...rest]) => (letter === "a" && rest.length === 0 ? {} : undefined),
});

/** The entry of `/settings`, where a till sends receipts. */
export const RECEIPT_ENTRY: SettingsEntry = { label: "button-receipts", data: receiptTap.encode({}) };

interface ReceiptDeps extends BuyDeps {
  contacts: ReceiptContacts;
}

/** Asks where receipts go: before the first payment, and when a person wants to change it. In private chats only. */
export function receiptFeature(deps: ReceiptDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.use(
    taps(receiptTap, async (ctx, _data, next) => {
      if (!isPrivate(ctx)) return next();
      // A button of before, while no till sends receipts.
      if (!deps.topUps.tills.some(({ needsContact }) => needsContact))
        return answerTap(ctx, ctx.language.t("receipt-none"), { isAlert: true });
      await answerTap(ctx);
      await ask(ctx, RECEIPT_CONTACT, null);
      await ctx.reply(askText(ctx, deps), { parse_mode: "HTML" });
    }),
  );
  const dialog = questionDialog(RECEIPT_CONTACT, {
    endsOnCommand: true,
    take: (ctx, waiting) => takeContact(ctx, waiting, deps),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("receipt-given-up"))),
  });
  return {
    name: "receipt",
    callbackPrefixes: [receiptTap.prefix],
    questions: [dialog],
    ownData: deps.contacts.ownData,
    composer,
  };
}

function askText({ language: { t }, person }: BotContext, { contacts }: ReceiptDeps): string {
  const known = contacts.of(person.id);
  if (!known) return t("receipt-ask");
  const contact = "phone" in known ? `+${known.phone}` : known.email;
  return t("receipt-now", { contact: escapeHtml(contact) });
}

async function takeContact(
  ctx: BotContext,
  waiting: WaitingTopUp | null,
  deps: ReceiptDeps,
): Promise<AnswerOutcome> {
  const { t } = ctx.language;
  const text = ctx.message?.text;
  if (text === undefined) return { kind: "passed" };
  const contact = readContact(text);
  if (!contact) return { kind: "refused", reply: () => ctx.reply(t("receipt-wrong")) };
  await deps.contacts.save(ctx.person.id, contact);
  return { kind: "over", reply: () => goOn(ctx, waiting, deps) };
}

/** Goes on with the top-up that the question has stopped. */
async function goOn(ctx: BotContext, waiting: WaitingTopUp | null, deps: ReceiptDeps): Promise<void> {
  await ctx.reply(ctx.language.t("receipt-saved"));
  const offered = waiting && deps.topUps.find(waiting.till, waiting.topUp);
  if (offered) await buy(ctx, offered, deps);
}
