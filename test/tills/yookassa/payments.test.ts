import { HttpError } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import { expect, test } from "vitest";
import { agree } from "../../../src/accounts/consent-log.js";
import { recordRestore } from "../../../src/backup/swap.js";
import { asKopecks } from "../../../src/contract/price.js";
import { DAY_MS, MINUTE_MS } from "../../../src/platform/units.js";
import { PRESENTED_OF_ONE } from "../../../src/tills/yookassa/yookassa-till.js";
import { ANN } from "../../support/bot-harness.js";
import { openBotWorld, refusal } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { openYookassaHarness } from "../../support/yookassa.js";

const { t, money } = texts.in("en");
const CREDITED = t("payment-credited", { sum: money(300_00), balance: money(300_00) });

type Harness = Awaited<ReturnType<typeof openYookassaHarness>>;

test("a top-up is one button with the page of the payment, and what was paid there is credited and told", async () => {
  const harness = await openYookassaHarness();
  const { buy, link, payment, shop, telegram, said } = harness;
  await buy();
  expect(link()).toBe(`https://pay.example/pay/${payment().id}`);
  const keyboard = JSON.stringify(telegram.payloadsOf("sendMessage").at(-1));
  expect(keyboard).toContain(t("button-pay-yookassa", { sum: money(300_00) }));
  expect(payment().wanted).toMatchObject({
    amount: { value: "300.00", currency: "RUB" },
    capture: true,
    confirmation: { return_url: "https://t.me/atelier_bot" },
  });
  shop.shop.pay(payment().id);
  await harness.untilBalance(300_00);
  await eventually("the words", () => said().includes(CREDITED));
  await eventually("the link's end", () => endsOf(harness).length === 1);
  expect(endsOf(harness)).toEqual([
    { text: t("invoice-paid", { sum: money(300_00) }), message_id: expect.any(Number), buttons: [] },
  ]);
});

const ENDS: unknown[] = ["invoice-paid", "invoice-failed"].map((key) => t(key, { sum: money(300_00) }));

/** What became of messages with links, and the buttons that they have now. */
function endsOf({ telegram }: Pick<Harness, "telegram">) {
  const ends = telegram.payloadsOf("editMessageText").filter(({ text }) => ENDS.includes(text));
  return ends.map(({ text, message_id, reply_markup }) => ({
    text,
    message_id,
    buttons: ((reply_markup as InlineKeyboardMarkup | undefined)?.inline_keyboard ?? [])
      .flat()
      .map((button) => [button.text, "callback_data" in button ? button.callback_data : undefined]),
  }));
}

const FAILED = {
  text: t("invoice-failed", { sum: money(300_00) }),
  message_id: expect.any(Number),
  buttons: [
    [t("button-top-up-again"), "t:b:yookassa:30000:30000"],
    [t("button-instead-stars"), "t:b:stars:273:30030"],
  ],
};

test("a payment that failed is told once, in the message of its link, which offers it again and by Stars", async () => {
  const harness = await openYookassaHarness();
  const { buy, payment, shop, world, tap, buttons, link } = harness;
  await buy();
  shop.shop.refuse(payment().id);
  await world.clock.advance(5000);
  await eventually("the words", () => endsOf(harness).length > 0);
  await world.clock.advance(10 * MINUTE_MS);
  expect(endsOf(harness)).toEqual([FAILED]);
  await tap(buttons().get(t("button-top-up-again")) ?? "");
  expect(link()).toBe(`https://pay.example/pay/${payment().id}`);
  expect(shop.shop.payments).toHaveLength(2);
});

test("a failure that could not be told is told after a restart, and not to who blocks the bot", async () => {
  const first = await openYookassaHarness();
  const { shop, world, telegram } = first;
  await first.buy();
  telegram.refuse("editMessageText", new HttpError("no network", new Error("no network")), () => true);
  shop.shop.refuse(first.payment().id);
  await world.clock.advance(5000);
  await eventually("a try", () => endsOf(first).length > 0);
  await first.close();
  const second = await openYookassaHarness({ world, shop });
  second.telegram.failNext("editMessageText", refusal(403, "Forbidden: bot was blocked by the user"));
  await eventually("the words", async () => {
    await world.clock.advance(MINUTE_MS);
    return endsOf(second).length > 0;
  });
  await world.clock.advance(10 * MINUTE_MS);
  expect(endsOf(second)).toEqual([FAILED]);
});

test("a link that is shown again takes the button off the message of before", async () => {
  const harness = await openYookassaHarness();
  const { buy, telegram, shop, payment, world } = harness;
  await buy();
  await buy();
  const [taken, ...others] = telegram.payloadsOf("editMessageReplyMarkup");
  expect(others).toEqual([]);
  shop.shop.refuse(payment().id);
  await world.clock.advance(5000);
  await eventually("the words", () => endsOf(harness).length > 0);
  expect(endsOf(harness)).toEqual([FAILED]);
  expect(endsOf(harness)[0]?.message_id).toBeGreaterThan(Number(taken?.message_id));
});

test("the tap is answered before the payment is asked for", async () => {
  const { buy, shop, answered } = await openYookassaHarness();
  const counts: number[] = [];
  shop.onCall = (kind) => void (kind === "POST payments" && counts.push(answered().length));
  await buy();
  // The pack and the consent.
  expect(counts).toEqual([2]);
});

test.each(["unanswered", "not_sent", 500] as const)(
  "a POST that is %s is repeated with its key, and makes one payment",
  async (fault) => {
    const { buy, shop, link } = await openYookassaHarness();
    shop.faults.push({ of: "POST payments", fault });
    await buy();
    const posts = shop.callsOf("POST payments");
    expect(posts).toHaveLength(2);
    expect(new Set(posts.map(({ key }) => key)).size).toBe(1);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    expect(shop.shop.payments).toHaveLength(1);
    expect(link()).toContain("https://pay.example/pay/");
  },
);

test("a payment that is not answered is offered again, with the same key after a restart too", async () => {
  const first = await openYookassaHarness();
  const { world, shop } = first;
  shop.faults.push({ of: "POST payments", fault: "unanswered" }, { of: "POST payments", fault: 500 });
  await first.buy();
  expect(first.said()).toContain(t("top-up-later"));
  await first.close();
  const { buy, link } = await openYookassaHarness({ world, shop });
  await buy();
  expect(new Set(shop.callsOf("POST payments").map(({ key }) => key)).size).toBe(1);
  expect(shop.shop.payments).toHaveLength(1);
  expect(link()).toContain("https://pay.example/pay/");
});

test("taps that follow one another show one payment, until it has ended", async () => {
  const { buy, shop, link, payment } = await openYookassaHarness();
  await buy();
  const shown = link();
  await buy();
  expect(link()).toBe(shown);
  expect(shop.shop.payments).toHaveLength(1);
  shop.shop.refuse(payment().id);
  await buy();
  expect(shop.shop.payments).toHaveLength(2);
  expect(link()).toContain(payment().id);
});

test("a link is not shown again in its last minutes", async () => {
  const { buy, shop, world } = await openYookassaHarness();
  await buy();
  world.clock.step(51 * MINUTE_MS);
  await buy();
  expect(shop.shop.payments).toHaveLength(2);
  expect(new Set(shop.callsOf("POST payments").map(({ key }) => key)).size).toBe(2);
});

test("a payment that the service refuses is told, to operators once an hour, and charges nobody", async () => {
  const { buy, shop, said, told } = await openYookassaHarness();
  for (const fault of [401, 403]) shop.faults.push({ of: "POST payments", fault });
  await buy();
  await buy();
  expect(said().filter((text) => text === t("top-up-unavailable"))).toHaveLength(2);
  expect(told).toEqual([{ kind: "till_refuses", till: "yookassa", status: 401, code: "" }]);
  expect(shop.shop.payments).toEqual([]);
});

test("what was paid while the service was down is credited at the next start, once", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  await first.close();
  const { world, shop } = first;
  shop.shop.pay(first.payment().id);
  world.clock.step(3 * 24 * 60 * MINUTE_MS);
  const second = await openYookassaHarness({ world, shop });
  await second.untilBalance(300_00);
  await second.close();
  const third = await openYookassaHarness({ world, shop });
  await world.clock.advance(10 * MINUTE_MS);
  expect(await third.balance()).toBe(300_00);
});

test.each([
  "till:invoice",
  "yookassa:payment",
  "yookassa:named",
  "till:payment",
  "yookassa:taken",
  "till:payment-told",
  "till:invoice-shown",
  "till:invoice-told",
])("a write of %s that fails loses nothing and doubles nothing", async (label) => {
  const failPoint = failOnce("commit:before", label);
  const world = openBotWorld(failPoint);
  const first = await openYookassaHarness({ world });
  const { shop } = first;
  await first.buy();
  const isShown = first.link() !== undefined;
  if (isShown) shop.shop.pay(first.payment().id);
  await world.clock.advance(20_000);
  await first.close();
  const second = await openYookassaHarness({ world, shop });
  if (!isShown) {
    await second.buy();
    shop.shop.pay(second.payment().id);
  }
  await second.untilBalance(300_00);
  await world.clock.advance(5 * MINUTE_MS);
  expect(failPoint.hasFailed).toBe(true);
  expect(await second.balance()).toBe(300_00);
  expect(shop.shop.payments).toHaveLength(1);
  expect([...first.said(), ...second.said()]).toContain(CREDITED);
});

test("forged, replayed and unknown notifications credit nothing, and cost at most a look", async () => {
  const { buy, shop, payment, till, balance, world } = await openYookassaHarness();
  await buy();
  const { id } = payment();
  const forged = {
    type: "notification",
    event: "payment.succeeded",
    object: { id, status: "succeeded", paid: true, amount: { value: "300.00", currency: "RUB" } },
  };
  for (let count = 0; count < 100; count += 1) till.takeHint(forged);
  till.takeHint({ ...forged, object: { id: "unknown" } });
  till.takeHint("nonsense");
  await world.clock.advance(1000);
  expect(shop.callsOf("GET payments").length).toBeLessThan(5);
  expect(await balance()).toBe(0);
});

test("a notification makes its payment seen at once", async () => {
  const { buy, shop, payment, till, balance, world } = await openYookassaHarness();
  await buy();
  await world.clock.advance(20 * MINUTE_MS);
  shop.shop.pay(payment().id);
  till.takeHint(shop.notifications.at(-1));
  await eventually("the credit", async () => {
    await world.clock.advance(50);
    return (await balance()) === 300_00;
  });
});

test("money that is not what was asked for is held, and told to its person and to operators", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, payment, balance, told, payments } = harness;
  await buy();
  payment().kopecks = 100_00;
  shop.shop.pay(payment().id);
  await harness.untilTold();
  expect(await balance()).toBe(0);
  expect(told).toMatchObject([
    { kind: "payment_held", till: "yookassa", price: 100_00, user: String(ANN.id) },
  ]);
  expect(payments.byCharge("yookassa", payment().id)).toMatchObject({ state: "unmatched", price: 100_00 });
});

test("a payment that nobody confirms closes its invoice, and is asked about no more", async () => {
  const { buy, shop, payment, world } = await openYookassaHarness();
  await buy();
  await world.clock.advance(80 * MINUTE_MS);
  const looks = () => shop.callsOf("GET payments").filter(({ path }) => path.includes(payment().id));
  const asked = looks().length;
  expect(asked).toBeLessThan(150);
  await world.clock.advance(80 * MINUTE_MS);
  expect(looks()).toHaveLength(asked);
});

test("banned people make no payment, and what they have paid before is credited", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, payment, said } = harness;
  await buy();
  await harness.managed.users.ban({ userId: ANN.id, reason: null, until: null, actor: "test" });
  shop.shop.pay(payment().id);
  await harness.untilBalance(300_00);
  await buy();
  expect(said().at(-1)).toBe(t("checkout-banned"));
  expect(shop.shop.payments).toHaveLength(1);
});

test.each([
  ["49", "limits"],
  ["15000.01", "limits"],
  ["50", 50_00],
  ["270", 270_00],
])("a typed sum of %s is %s", async (typed, outcome) => {
  const { parts, say, tap, said, shop } = await openYookassaHarness({
    change: { stars: { packs: [], rateKopecks: undefined } },
  });
  await agree(parts, 1, parts.legalTexts.agreedIn("en"));
  await say("/topup");
  await tap("t:o");
  await say(typed);
  if (outcome === "limits")
    expect(said().at(-1)).toBe(t("top-up-sum-limits", { least: money(50_00), most: money(15_000_00) }));
  else expect(shop.shop.payments.at(-1)?.kopecks).toBe(outcome);
});

test("a sum that an order lacks is sold exactly, or as the smallest that the till sells", async () => {
  const { till } = await openYookassaHarness();
  expect(till.topUpOf(asKopecks(270_00))).toEqual({ price: 270_00, kopecks: 270_00 });
  expect(till.topUpOf(asKopecks(10_00))).toEqual({ price: 50_00, kopecks: 50_00 });
  expect(till.topUpOf(asKopecks(15_000_01))).toBeUndefined();
});

test("a till that is switched off sells nothing, and settles what was paid", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  await first.close();
  const { world, shop } = first;
  shop.shop.pay(first.payment().id);
  const second = await openYookassaHarness({ world, shop, settings: { isOn: false } });
  await second.untilBalance(300_00);
  await second.tap("t:b:yookassa:30000:30000");
  expect(second.answered()).toContain(t("tap-top-up-changed"));
  expect(shop.shop.payments).toHaveLength(1);
});

test("a payment that a restored backup has lost is found: held where its invoice is lost too, and told", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  await first.close();
  const { shop } = first;
  const own = first.payment();
  shop.shop.pay(own.id);
  // Another service of the shop.
  const { id } = shop.shop.make({ ...own.wanted, metadata: { invoice: "other" } });
  shop.shop.pay(id);
  const second = await openYookassaHarness({ shop });
  await second.untilTold();
  expect(second.told).toMatchObject([{ kind: "payment_held", till: "yookassa", price: 300_00 }]);
  expect(second.payments.byCharge("yookassa", own.id)).toMatchObject({ state: "unmatched" });
  expect(second.payments.byCharge("yookassa", id)).toBeUndefined();
});

test("what was paid since a backup that knows no look is found, and what was paid back since then", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  await first.close();
  const { shop, world } = first;
  const own = first.payment();
  shop.shop.pay(own.id);
  shop.shop.refundInCabinet(own.id, 100_00);
  const madeAt = world.clock.now();
  world.clock.step(30 * DAY_MS);
  const restored = openBotWorld();
  restored.clock.step(world.clock.now() - restored.clock.now());
  const lost = { last_job_id: 0, open_attempts: 0, lost_attempts: 0 };
  await restored.database.write("restore", (tx) =>
    recordRestore(tx, { ...lost, made_at: madeAt, restored_at: restored.clock.now() }),
  );
  const second = await openYookassaHarness({ world: restored, shop });
  await second.untilTold();
  const held = { state: "unmatched", price: 300_00, returned: 100_00 };
  await eventually("the held payment", async () => {
    await restored.clock.advance(MINUTE_MS);
    return second.payments.byCharge("yookassa", own.id)?.returned === held.returned;
  });
  expect(second.payments.byCharge("yookassa", own.id)).toMatchObject(held);
});

test("nobody's credit waits for a message, and each is told once messages go through", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, telegram, world, payments } = harness;
  const people = Array.from({ length: 8 }, (_, n) => ({ ...ANN, id: 100 + n }));
  for (const person of people) await buy(person);
  const release = telegram.hold("sendMessage");
  for (const { id } of shop.shop.payments) shop.shop.pay(id);
  for (let n = 0; n < 6; n += 1) await world.clock.advance(5000);
  const credited = shop.shop.payments.map(({ id }) => payments.byCharge("yookassa", id)?.state);
  expect(credited).toEqual(people.map(() => "credited"));
  release();
  await eventually("the words", () => people.every(({ id }) => telegram.toldTo(id).includes(CREDITED)));
  await world.clock.advance(5 * MINUTE_MS);
  for (const { id } of people)
    expect(telegram.toldTo(id).filter((text) => text === CREDITED)).toHaveLength(1);
});

test("a stop waits for what is being told, for seconds", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, payment, telegram, world } = harness;
  await buy();
  payment().kopecks = 100_00;
  shop.shop.pay(payment().id);
  const release = telegram.hold("sendMessage");
  await harness.untilTold();
  let isStopped = false;
  const stopped = harness.close().then(() => {
    isStopped = true;
  });
  await world.clock.advance(2000);
  expect(isStopped).toBe(false);
  release();
  await stopped;
  expect(telegram.toldTo(ANN.id)).toContain(t("payment-held", { number: "P-1" }));
});

test("a second paid payment of an invoice is held, for an admin to return or credit", async () => {
  const harness = await openYookassaHarness();
  const { buy, shop, payment, payments, told, till } = harness;
  await buy();
  const own = payment();
  shop.shop.pay(own.id);
  await harness.untilBalance(300_00);
  const second = shop.shop.make(own.wanted);
  shop.shop.pay(second.id);
  await harness.untilTold();
  expect(told).toMatchObject([{ kind: "payment_held", number: 2, price: 300_00, user: String(ANN.id) }]);
  const held = { state: "unmatched", charge_id: second.id, payer: String(ANN.id) };
  expect(payments.byId(2)).toMatchObject(held);
  await harness.untilBalance(300_00);
  const request = { paymentId: 2, actor: "telegram:9", reason: null, mayOwe: false };
  expect(await payments.refund(request, till)).toMatchObject({ kind: "refunded" });
  expect(shop.shop.payment(second.id)?.refundedKopecks).toBe(300_00);
  await harness.untilBalance(300_00);
});

test("a list that could not be read is read again from where the last look ended, and finds a payment whose name was lost", async () => {
  const first = await openYookassaHarness();
  const { shop, world } = first;
  await first.buy();
  shop.shop.pay(first.payment().id);
  await first.loseName(first.payment().id);
  await first.close();
  world.clock.step(DAY_MS);
  shop.faults.push({ of: "GET payments", fault: 500 });
  const second = await openYookassaHarness({ world, shop });
  await eventually("the failed look", async () => shop.faults.length === 0);
  await eventually("the next look", async () => {
    await world.clock.advance(MINUTE_MS);
    return (await second.balance()) === 300_00;
  });
});

test("a first look that could not be read is made again from where it began", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  await first.close();
  const { shop } = first;
  shop.shop.pay(first.payment().id);
  shop.faults.push({ of: "GET payments", fault: 500 });
  const second = await openYookassaHarness({ shop });
  await eventually("the first look", () => shop.faults.length === 0);
  second.world.clock.step(3 * DAY_MS);
  await second.untilTold();
  await eventually("the payment", async () => {
    await second.world.clock.advance(MINUTE_MS);
    return second.payments.byCharge("yookassa", first.payment().id)?.state === "unmatched";
  });
});

test("a list of more pages than one look reads is read to its oldest element", async () => {
  const first = await openYookassaHarness();
  await first.buy();
  const { shop, world } = first;
  const own = first.payment();
  shop.shop.pay(own.id);
  await first.loseName(own.id);
  await first.close();
  for (let n = 0; n < 5100; n += 1) {
    const { id } = shop.shop.make({ ...own.wanted, metadata: { invoice: "other" } });
    shop.shop.pay(id);
    if (n % 100 === 0) world.clock.step(MINUTE_MS);
  }
  const second = await openYookassaHarness({ world, shop });
  for (let n = 0; n < 11; n += 1) await world.clock.advance(MINUTE_MS);
  world.clock.step(3 * DAY_MS);
  await second.untilBalance(300_00);
  const looks = shop.callsOf("GET payments").filter(({ path }) => path.includes("limit="));
  expect(looks.length).toBeLessThan(120);
});

test("a person makes no payments without end, since each is asked about for an hour", async () => {
  const harness = await openYookassaHarness();
  const { buy, tap, shop, said, world, link } = harness;
  await buy();
  const buyOf = (rubles: number) => tap(`t:b:yookassa:${rubles}00:${rubles}00`);
  for (let more = 1; more < PRESENTED_OF_ONE.most + 5; more += 1) await buyOf(400 + more);
  expect(shop.shop.payments).toHaveLength(PRESENTED_OF_ONE.most);
  expect(said().at(-1)).toBe(t("top-up-unavailable"));
  world.clock.step(PRESENTED_OF_ONE.withinMs);
  await world.clock.advance(PRESENTED_OF_ONE.withinMs);
  await buyOf(600);
  expect(link()).toBeDefined();
});
