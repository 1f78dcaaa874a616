import { expect, test } from "vitest";
import { paymentSchema } from "../../../packages/upstream-stand-ins/src/yookassa.js";
import { asKopecks } from "../../../src/contract/price.js";
import { paymentRequest } from "../../../src/tills/yookassa/yookassa-api.js";
import { hintedPayment } from "../../../src/tills/yookassa/yookassa-till.js";
import fc from "../../support/fast-check.js";

const PAYMENT = {
  invoiceRef: "t1:a",
  kopecks: asKopecks(270_00),
  description: "270 ₽ for pictures",
  returnUrl: "https://t.me/atelier_bot",
  receipt: undefined,
  contact: undefined,
};
const RECEIPT = { vatCode: 1, taxSystem: 2, paymentMode: "full_payment" } as const;

test("a receipt has the whole sum, and goes to the contact", () => {
  const given = paymentRequest({ ...PAYMENT, receipt: RECEIPT, contact: { email: "ann@example.com" } });
  expect(given).toMatchObject({
    receipt: {
      customer: { email: "ann@example.com" },
      tax_system_code: 2,
      items: [
        {
          description: "270 ₽ for pictures",
          quantity: 1,
          amount: { value: "270.00", currency: "RUB" },
          vat_code: 1,
          payment_subject: "service",
          payment_mode: "full_payment",
        },
      ],
    },
  });
});

test("every request is one that the service takes, whatever the sum and the words", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999 }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
      fc.constantFrom(undefined, { email: "a@example.com" }, { phone: "79000000000" }),
      (sum, description, contact) => {
        const kopecks = asKopecks(sum);
        const body = paymentRequest({ ...PAYMENT, kopecks, description, receipt: RECEIPT, contact });
        expect([...body.description].length).toBeLessThanOrEqual(128);
        expect(Math.round(Number(body.amount.value) * 100)).toBe(sum);
        if ([...description].every((sign) => sign.length === 1)) paymentSchema.parse(body);
      },
    ),
  );
});

test.each([
  [{ type: "notification", event: "payment.succeeded", object: { id: "p1", status: "succeeded" } }, "p1"],
  [{ type: "notification", event: "refund.succeeded", object: { id: "r1", payment_id: "p1" } }, "p1"],
  [{ type: "notification", event: "payment.succeeded", object: {} }, undefined],
  [{ type: "other", event: "payment.succeeded", object: { id: "p1" } }, undefined],
  [{ type: "notification", event: "e", object: { id: "p".repeat(65) } }, undefined],
  ["p1", undefined],
  [null, undefined],
])("a notification %j is about %s", (body, id) => {
  expect(hintedPayment(body)).toBe(id);
});
