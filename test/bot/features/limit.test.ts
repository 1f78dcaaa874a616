import { describe, expect, test } from "vitest";
import { UncertainOutcome } from "../../../src/contract/errors.js";
import { ANN, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { money, t } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";

/** The clock of the harness begins with 2026. */
const RENEWAL = { date: "February\u00a01" };

/** A bot whose people share one account, and Ann, who has met it. */
async function openShared(options: Parameters<typeof openBotHarness>[0] = {}) {
  const harness = openBotHarness({ accounts: sharedAccount(), ...options });
  const { say, press, parts } = harness;
  await say("/start");
  const order = async (words = "a fox") => {
    await say(words);
    await press("✅");
  };
  const limit = async (words: string, more = {}) => {
    await say(`/limit ${words}`, MAX, more);
    return harness.said().at(-1);
  };
  return { ...harness, order, limit, allowance: () => parts.spending?.allowanceOf(ANN.id) };
}

describe("/limit", () => {
  test("sets, shows and removes what a person may spend in a month", async () => {
    const { limit, order, gateway } = await openShared();
    const before = gateway.kopecks;
    await order();
    const price = before - gateway.kopecks;
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
    const { limit, order, answered, fakeService, card } = await openShared();
    await limit(`${ANN.id} 0,50`);
    await order();
    const told = answered().at(-1);
    expect(told).toContain(`you have ${money(50)} of your monthly limit left`);
    expect(told).toContain("February\u00a01 (UTC)");
    expect(fakeService.submissions).toEqual([]);
    expect(card().text).toBe("a fox");
    await limit(`${ANN.id} off`);
    await order("an owl");
    expect(answered().at(-1)).toBe(t("pay-accepted"));
  });

  test("shows the person what is left in /balance, and on a card in place of the balance of all", async () => {
    const { limit, say, said } = await openShared();
    const balance = t("card-balance", { balance: money(500_00) });
    await limit(`${ANN.id} 300`);
    await say("/balance");
    const sums = { left: money(300_00), limit: money(300_00) };
    expect(said().at(-1)).toContain(t("limit-own", { ...sums, ...RENEWAL }));
    expect(said().at(-1)).toContain(t("id-person", { id: String(ANN.id) }));
    await say("a fox");
    expect(said().at(-1)).toContain(t("card-limit", { left: money(300_00) }));
    expect(said().at(-1)).not.toContain(balance);
    await limit(`${ANN.id} off`);
    await say("/image an owl at night");
    expect(said().at(-1)).toContain(balance);
  });

  test.each([
    ["12345 500", "person-stranger"],
    ["", "usage-limit"],
    ["Anna 500", "usage-limit"],
    [`${ANN.id} many`, "usage-limit"],
    [`${ANN.id} 1 000`, "usage-limit"],
  ])("with “%s” changes nothing and says why", async (words, key) => {
    const { limit, allowance } = await openShared();
    expect(await limit(words)).toContain(t(key));
    expect(allowance()?.limitKopecks).toBeUndefined();
  });

  test("is told in private alone, and not where everyone has a balance of their own", async () => {
    const { limit, allowance } = await openShared();
    expect(await limit(`${ANN.id} 500`, IN_GROUP)).toBe(t("admin-private-only"));
    expect(allowance()?.limitKopecks).toBeUndefined();
    const { say, said } = openBotHarness();
    await say("/start");
    await say(`/limit ${ANN.id} 500`, MAX);
    expect(said().at(-1)).toBe(t("limit-shared-only"));
  });
});

test("an accepted order counts with the sum that the service charged", async () => {
  const { order, allowance } = await openShared({
    gateway: { submit: async () => ({ job_id: 1, job_ids: [1], status: "queued", cost_rub: 7.5 }) as never },
  });
  await order();
  expect(allowance()?.spentKopecks).toBe(750);
});

test("an order of unknown outcome counts with its quote until an admin names its jobs", async () => {
  const { order, allowance, parts } = await openShared({
    gateway: {
      submit: () => Promise.reject(new UncertainOutcome("cut")),
      job: async (id) => ({ job_id: id, type: "image", status: "queued", cost_rub: 7.5 }) as never,
    },
  });
  await order();
  const record = parts.orders.uncertain.find(1);
  if (!record) throw new Error("no uncertain order");
  expect(allowance()?.spentKopecks).toBe(record.order.quotedKopecks);
  const { checkout } = parts.orderService;
  expect(await checkout.settleCharged(record, "5", MAX.id)).toBe("settled");
  expect(allowance()?.spentKopecks).toBe(750);
});
