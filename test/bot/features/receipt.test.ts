import { expect, test } from "vitest";
import { readContact } from "../../../src/bot/payments/receipt-contact.js";
import { ANN } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { NO_STARS } from "../../support/stars-offer.js";
import { openYookassaHarness } from "../../support/yookassa.js";

const receipt = { vatCode: 1, taxSystem: undefined, paymentMode: "full_payment" } as const;

test.each([
  ["ann@example.com", { email: "ann@example.com" }],
  ["  ann@example.com ", { email: "ann@example.com" }],
  ["+7 900 000-00-00", { phone: "79000000000" }],
  ["8 (900) 000 00 00", { phone: "79000000000" }],
  ["+375 29 123 45 67", { phone: "375291234567" }],
  ["12345", undefined],
  ["ann@", undefined],
  ["ann@example.com, boris@example.com", undefined],
  [`${"a".repeat(130)}@example.com`, undefined],
  ["+".repeat(1000), undefined],
  ["", undefined],
])("%j is read as %j", (text, contact) => {
  expect(readContact(text)).toEqual(contact);
});

test("the contact is asked for once, before the first payment, which then goes on with its receipt", async () => {
  const { buy, say, said, shop, payment, link } = await openYookassaHarness({ settings: { receipt } });
  await buy();
  expect(said()).toContain(t("receipt-ask"));
  expect(shop.shop.payments).toEqual([]);
  await say("anna");
  expect(said().at(-1)).toBe(t("receipt-wrong"));
  await say("ann@example.com");
  expect(link()).toContain(payment().id);
  expect(payment().wanted.receipt).toMatchObject({
    customer: { email: "ann@example.com" },
    items: [{ amount: { value: "300.00" }, vat_code: 1 }],
  });
  shop.shop.refuse(payment().id);
  await buy();
  expect(shop.shop.payments).toHaveLength(2);
});

test("/settings changes the contact, which the next receipt has", async () => {
  const { buy, say, tap, said, buttons, payment } = await openYookassaHarness({
    settings: { receipt },
    change: { stars: NO_STARS },
  });
  await buy();
  await say("ann@example.com");
  await say("/settings");
  await tap(buttons().get(t("button-receipts")) ?? "");
  expect(said().at(-1)).toContain("ann@example.com");
  await say("+7 900 000-00-00");
  expect(payment().wanted.receipt?.customer).toEqual({ email: "ann@example.com" });
  await tap("t:o");
  await say("777");
  expect(payment().wanted.receipt?.customer).toEqual({ phone: "79000000000" });
});

test("a shop without receipts asks for no contact, and has no entry in /settings", async () => {
  const { buy, say, said, tap, buttons, telegram, shop } = await openYookassaHarness();
  await buy();
  expect(shop.shop.payments).toHaveLength(1);
  await say("/settings");
  expect([...buttons().values()]).not.toContain("rc:a");
  // A button of before.
  await tap("rc:a");
  expect(telegram.payloadsOf("answerCallbackQuery").at(-1)).toMatchObject({ text: t("receipt-none") });
  expect(said()).not.toContain(t("receipt-ask"));
});

test("the contact is told in one's data, and erased with it", async () => {
  const { buy, say, parts, database } = await openYookassaHarness({ settings: { receipt } });
  await buy();
  await say("ann@example.com");
  const told = () => {
    const sections = parts.ownData.flatMap((part) => [...(part.sections?.(ANN.id) ?? [])]);
    return [...(sections.find(({ name }) => name === "receipts")?.rows ?? [])];
  };
  expect(told()).toMatchObject([{ contact: "ann@example.com" }]);
  await database.write("forget", (tx) => {
    for (const part of parts.ownData) part.eraseIn(tx, ANN.id);
  });
  expect(told()).toEqual([]);
});
