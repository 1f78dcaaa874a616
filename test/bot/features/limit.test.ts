import { describe, expect, test } from "vitest";
import { cardData } from "../../../src/bot/card/callback-data.js";
import { UncertainOutcome } from "../../../src/contract/errors.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";

const { t, money } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Max" };
/** The clock of the harness begins with 2026. */
const RENEWAL = { date: "February\u00a01" };
const GROUP = { id: -100, type: "supergroup", title: "Studio" } as const;

/** A bot whose people share one account, and Ann, who has met it. */
async function openShared() {
  const harness = openBotHarness({ accounts: sharedAccount() });
  const { say, tap, buttons, drafts } = harness;
  await say("/start");
  const order = async (words = "a fox") => {
    await say(words);
    const pay = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
    await tap(pay, drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
  };
  const limit = async (words: string) => {
    await say(`/limit ${words}`, ADMIN);
    return harness.said().at(-1);
  };
  return { ...harness, order, limit };
}

describe("/limit", () => {
  test("sets, shows and removes what a person may spend in a month", async () => {
    const { limit, order, gateway } = await openShared();
    const price = await priceOf(gateway, order);
    expect(await limit(`${ANN.id}`)).toContain("has no monthly limit");
    const set = await limit(`${ANN.id} 500`);
    expect(set).toContain(`up to <b>${money(500_00)}</b> a month`);
    const sums = { spent: money(price), left: money(500_00 - price), ...RENEWAL };
    expect(set).toContain(t("limit-spent-left", sums));
    expect(await limit(`${ANN.id}`)).toBe(set);
    const removed = await limit(`${ANN.id} OFF`);
    expect(removed).toContain("no longer has a monthly limit");
    expect(removed).toContain(t("limit-spent", { spent: money(price) }));
  });

  test("refuses an order above it in words, with what is left and when it renews", async () => {
    const { limit, order, answered, fakeService, drafts } = await openShared();
    await limit(`${ANN.id} 0,50`);
    await order();
    const told = answered().at(-1);
    expect(told).toContain(`you have ${money(50)} of your monthly limit left`);
    expect(told).toContain("February\u00a01 (UTC)");
    expect(fakeService.submissions).toEqual([]);
    expect(withText(drafts.composing(ANN.id, ANN.id))?.text).toBe("a fox");
    await limit(`${ANN.id} off`);
    await order("an owl");
    expect(answered().at(-1)).toBe(t("pay-accepted"));
  });

  test("shows the person in /balance what is left", async () => {
    const { limit, say, said } = await openShared();
    await limit(`${ANN.id} 300`);
    await say("/balance");
    const sums = { left: money(300_00), limit: money(300_00) };
    expect(said().at(-1)).toContain(t("limit-own", { ...sums, ...RENEWAL }));
    expect(said().at(-1)).toContain(t("id-person", { id: String(ANN.id) }));
  });

  test.each([
    ["12345 500", "person-stranger"],
    ["", "usage-limit"],
    ["Anna 500", "usage-limit"],
    [`${ANN.id} many`, "usage-limit"],
    [`${ANN.id} -5`, "usage-limit"],
    [`${ANN.id} 1 000`, "usage-limit"],
    [`${ANN.id} 500 please`, "usage-limit"],
  ])("with “%s” changes nothing and says why", async (words, key) => {
    const { limit, parts } = await openShared();
    expect(await limit(words)).toContain(t(key));
    expect(parts.spending?.allowanceOf(ANN.id).limitKopecks).toBeUndefined();
  });

  test("is told in private alone", async () => {
    const { say, said, parts } = await openShared();
    await say(`/limit ${ANN.id} 500`, ADMIN, { chat: GROUP });
    expect(said().at(-1)).toBe(t("limit-private-only"));
    expect(parts.spending?.allowanceOf(ANN.id).limitKopecks).toBeUndefined();
  });

  test("is what a card shows in place of the balance of all", async () => {
    const { limit, say, said } = await openShared();
    const balance = t("card-balance", { balance: money(500_00) });
    await limit(`${ANN.id} 15`);
    await say("a fox");
    expect(said().at(-1)).toContain(t("card-limit", { left: money(15_00) }));
    expect(said().at(-1)).not.toContain(balance);
    await limit(`${ANN.id} off`);
    await say("an owl");
    await say("/image an owl at night");
    expect(said().some((text) => String(text).includes(balance))).toBe(true);
  });

  test("says where everyone has a balance of their own that it is for a shared account", async () => {
    const { say, said } = openBotHarness();
    await say("/start");
    await say(`/limit ${ANN.id} 500`, ADMIN);
    expect(said().at(-1)).toBe(t("limit-shared-only"));
  });
});

test("an accepted order counts with the sum that the service charged", async () => {
  const { say, tap, buttons, drafts, parts } = openBotHarness({
    accounts: sharedAccount(),
    gateway: { submit: async () => ({ job_id: 1, job_ids: [1], status: "queued", cost_rub: 7.5 }) as never },
  });
  await say("a fox");
  const pay = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
  await tap(pay, drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
  expect(parts.spending?.allowanceOf(ANN.id).spentKopecks).toBe(750);
});

test("an order of unknown outcome counts with its quote until an admin names its jobs", async () => {
  const { say, tap, buttons, drafts, parts } = openBotHarness({
    accounts: sharedAccount(),
    gateway: {
      submit: () => Promise.reject(new UncertainOutcome("cut")),
      job: async (id) => ({ job_id: id, type: "image", status: "queued", cost_rub: 7.5 }) as never,
    },
  });
  await say("a fox");
  const pay = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
  await tap(pay, drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
  const record = parts.orders.uncertain.find(1);
  if (!record) throw new Error("no uncertain order");
  const spent = () => parts.spending?.allowanceOf(ANN.id).spentKopecks;
  expect(spent()).toBe(record.order.quotedKopecks);
  expect(await parts.orderService.checkout.uncertainOrders.settleCharged(record, "5", ADMIN_ID)).toBe(
    "settled",
  );
  expect(spent()).toBe(750);
});

/** Orders once; the price in kopecks. */
async function priceOf(gateway: { kopecks: number }, order: () => Promise<void>): Promise<number> {
  const before = gateway.kopecks;
  await order();
  return before - gateway.kopecks;
}
