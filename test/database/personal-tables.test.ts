import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../support/bot-harness.js";
import { descriptions } from "../support/table-descriptions.js";

/** Tables that the core and the orders erase in parts: those of features are told by their `ownData`. */
const ERASED = [
  "account_note",
  "api_key",
  "delivery",
  "delivery_offer",
  "erasure",
  "invite_code",
  "job",
  "media_file",
  "order",
];
/** Tables whose rows about a person stay, and why. */
const KEPT: Readonly<Record<string, string>> = {
  admin: "who may act as an admin",
  audit_entry: "acts of admins, without words of people",
  ban: "an erasure must not end it",
  broadcast: "an admin's own message",
  connected_account: "where accounts are elsewhere nobody is erased here",
  consent: "the proof that the terms were agreed to",
  idempotency_key: "hashes, for a day",
  identity: "ties money rows to their person, and keeps gifts from coming twice",
  invite: "pairs of accounts, so that a reward comes once",
  ledger_entry: "money rows stay, as the law asks",
  ledger_month: "sums of money rows",
  news_opt_out: "somebody who comes back is not written to unasked",
  promo_try: "counts for an hour",
  promo_use: "a code is used once",
  remote_submission: "where accounts are elsewhere nobody is erased here",
  spending_entry: "where accounts are elsewhere nobody is erased here",
  spending_limit: "where accounts are elsewhere nobody is erased here",
  spending_total: "where accounts are elsewhere nobody is erased here",
  till_debt: "money rows stay, as the law asks",
  till_invoice: "money rows stay, as the law asks",
  till_payment: "money rows stay, as the law asks",
  told_pause: "what admins were told of services",
  welcome_credit: "a gift comes once",
};

/** Tables that "forget me" writes for the features of the bot. */
function erasedByFeatures(): Promise<string[]> {
  const { database, parts } = openBotHarness();
  return database.write("test", (tx) => {
    tx.takeWritten();
    for (const part of parts.ownData) part.eraseIn(tx, ANN.id);
    return [...tx.takeWritten()];
  });
}

test("what happens to each table that names a person is decided", async () => {
  const naming = descriptions.filter(({ columns }) =>
    columns.some(({ name }) => /^(?:user_id|account_id|telegram_id|admin_id|invited_id)$/.test(name)),
  );
  const tables = naming.map(({ table }) => table).sort();
  const erased = (await erasedByFeatures()).filter((table) => tables.includes(table as never));
  expect(tables).toEqual([...ERASED, ...erased, ...Object.keys(KEPT)].sort());
});
