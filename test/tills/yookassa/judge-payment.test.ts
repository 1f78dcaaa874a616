import { expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { judgePayment, pauseAfter, paymentAnswer } from "../../../src/tills/yookassa/yookassa-api.js";
import fc from "../../support/fast-check.js";

const ROW = { invoice_ref: "t1:a", kopecks: asKopecks(270_00), payment_id: "p1" };
const ANSWER = {
  id: "p1",
  status: "succeeded",
  paid: true,
  amount: { value: "270.00", currency: "RUB" },
  metadata: { invoice: "t1:a" },
};

test("a payment that agrees in everything is ours", () => {
  expect(judgePayment(paymentAnswer.parse(ANSWER), ROW)).toEqual({
    kind: "paid",
    isOurs: true,
    currency: "RUB",
    kopecks: 270_00,
  });
});

test.each([
  ["another sum", { amount: { value: "1.00", currency: "RUB" } }],
  ["another currency", { amount: { value: "270.00", currency: "USD" } }],
  ["the invoice of another", { metadata: { invoice: "t1:b" } }],
  ["no invoice", { metadata: undefined }],
  ["another id", { id: "p2" }],
  ["money that is not there", { paid: false }],
])("a payment with %s is held", (_name, change) => {
  const verdict = judgePayment(paymentAnswer.parse({ ...ANSWER, ...change }), ROW);
  expect(verdict).toMatchObject({ kind: "paid", isOurs: false });
});

test.each([
  ["pending", "open"],
  ["waiting_for_capture", "open"],
  ["canceled", "canceled"],
])("%s is %s, whatever else the answer says", (status, kind) => {
  expect(judgePayment(paymentAnswer.parse({ ...ANSWER, status }), ROW)).toMatchObject({ kind });
});

test.each([
  { ...ANSWER, status: "paid" },
  { ...ANSWER, amount: { value: 270, currency: "RUB" } },
  { ...ANSWER, amount: { value: "270", currency: "RUB" } },
  { ...ANSWER, amount: { value: "-270.00", currency: "RUB" } },
  { ...ANSWER, paid: "true" },
  { ...ANSWER, id: "" },
  { ...ANSWER, confirmation: { confirmation_url: "javascript:alert(1)" } },
  [],
  null,
])("an answer that is not as documented is not read: %j", (given) => {
  expect(paymentAnswer.safeParse(given).success).toBe(false);
});

test("pauses begin with seconds, grow with the age, and never leave a payment alone for more than a day", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e10 }), fc.nat({ max: 1e9 }), (ageMs, more) => {
      expect(pauseAfter(ageMs)).toBeGreaterThanOrEqual(5000);
      expect(pauseAfter(ageMs)).toBeLessThanOrEqual(pauseAfter(ageMs + more));
      expect(pauseAfter(ageMs)).toBeLessThanOrEqual(24 * 3_600_000);
    }),
  );
});
