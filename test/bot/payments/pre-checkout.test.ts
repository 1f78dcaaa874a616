import { expect, test } from "vitest";
import { ADMIN_ID, ANN } from "../../support/bot-harness.js";
import { brokenConnection, openFullDisk, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { openPaymentsHarness, paidMessage } from "../../support/payments.js";
import { NO_STARS } from "../../support/stars-offer.js";

const EVE = { ...ANN, id: 66 };
const DAY_MS = 86_400_000;

type Harness = Awaited<ReturnType<typeof openPaymentsHarness>>;

async function check(harness: Harness, ref: string, change: object = {}) {
  const query = { id: "q1", from: ANN, currency: "XTR", total_amount: 50, invoice_payload: ref, ...change };
  await harness.parts.botPayments?.preCheckout.answer(query as never);
  return harness.telegram.payloadsOf("answerPreCheckoutQuery");
}

const refused = (reason: string, code = "en") => [
  { pre_checkout_query_id: "q1", ok: false, error_message: texts.in(code).t(`checkout-${reason}`) },
];

test.each<[string, string, object, string?, Parameters<typeof openPaymentsHarness>[0]?]>([
  ["an unknown payload", "unknown", { invoice_payload: "t1:unknown" }],
  ["another's invoice", "not_yours", { from: { ...EVE, language_code: "ru" } }, "ru"],
  ["another sum", "changed", { total_amount: 51 }],
  ["another currency", "changed", { currency: "RUB" }],
  ["what is not sold any more", "off", {}, "en", { stars: NO_STARS }],
  ["a person who is not let in", "not_allowed", {}, "en", { allowedUsers: [ADMIN_ID] }],
])(
  "%s is refused in words of the person's language",
  async (_name, reason, change, code = "en", bot = {}) => {
    const harness = await openPaymentsHarness(bot);
    expect(await check(harness, (await harness.openInvoice()).ref, change)).toEqual(refused(reason, code));
  },
);

test("a query without a sender ends no process and keeps no other from its answer", async () => {
  const harness = await openPaymentsHarness();
  const { ref } = await harness.openInvoice();
  expect(await check(harness, ref, { from: undefined })).toEqual([]);
  expect(await check(harness, ref)).toEqual([{ pre_checkout_query_id: "q1", ok: true }]);
});

test("a paid invoice, a closed one and one of yesterday are refused", async () => {
  const harness = await openPaymentsHarness();
  const [paid, closed, old] = [
    await harness.openInvoice(),
    await harness.openInvoice(),
    await harness.openInvoice(),
  ];
  await harness.send(paidMessage(paid, "c1"));
  await harness.payments.closeInvoice(closed.id);
  await check(harness, paid.ref);
  await check(harness, closed.ref);
  await harness.clock.advance(DAY_MS + 1);
  expect(await check(harness, old.ref)).toEqual([...refused("old"), ...refused("old"), ...refused("old")]);
});

test("a database that takes no writes refuses, and so does a service that stops", async () => {
  const { disk, world } = openFullDisk("", false);
  const harness = await openPaymentsHarness({ world });
  const { ref } = await harness.openInvoice();
  disk.isFull = true;
  expect(await check(harness, ref)).toEqual(refused("busy"));
  disk.isFull = false;
  harness.parts.botPayments?.preCheckout.drain();
  expect(await check(harness, ref)).toEqual([...refused("busy"), ...refused("busy")]);
});

test("an answer that is too late is no error, and one that was not delivered is sent again", async () => {
  const harness = await openPaymentsHarness();
  const { ref } = await harness.openInvoice();
  harness.telegram.failNext("answerPreCheckoutQuery", refusal(400, "Bad Request: query is too old"));
  expect(await check(harness, ref)).toHaveLength(1);
  harness.telegram.failNext("answerPreCheckoutQuery", brokenConnection());
  const again = check(harness, ref);
  await harness.clock.advance(1000);
  expect(await again).toHaveLength(3);
});

test("a banned person may not pay, and what they have paid all the same is credited", async () => {
  const harness = await openPaymentsHarness();
  await harness.managed.users.ban({ userId: ANN.id, reason: null, until: null, actor: "test" });
  const invoice = await harness.openInvoice();
  expect(await check(harness, invoice.ref)).toEqual(refused("banned"));
  await harness.send(paidMessage(invoice, "c1"));
  expect(await harness.balance()).toBe(50_00);
});
