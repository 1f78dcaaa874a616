import { afterEach, describe, expect, test } from "vitest";
import { EventStore } from "../../../src/bot/notices/event-store.js";
import { operatorNoticeText } from "../../../src/bot/notices/notice-text.js";
import { dailyReporter } from "../../../src/bot/notices/notices.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { Figures } from "../../../src/jobs/margin-report.js";
import type { Period } from "../../../src/platform/clock.js";
import { parseDailyTime } from "../../../src/platform/zoned-time.js";
import type { MoneyIn } from "../../../src/tills/payment-book.js";
import { type BotWorld, openBotWorld } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { groundOf } from "../../support/ground.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const k = asKopecks;

const FIGURES: Figures = {
  orders: 42,
  buyers: 7,
  income: k(12_345_50),
  refunds: k(100_00),
  cost: k(8_000_00),
  models: ["Veo 4", "Kling 4", "Suno V6", "Nano Banana", "FLUX", "Sixth"].map((title, index) => ({
    title,
    orders: 10 - index,
    income: k((10 - index) * 100_00),
  })),
  failures: [],
};

const MONEY_IN: MoneyIn = {
  tills: [],
  paid: k(5_000_00),
  returned: k(0),
  gifts: k(300_00),
  rewards: k(50_00),
  corrections: k(-20_00),
};

let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

/** One start of the service. The clock begins on 2026-01-01 at 00:00 UTC. */
function openReporter(world: BotWorld, { at: text = "09:00", figures = FIGURES, moneyIn = MONEY_IN } = {}) {
  const at = parseDailyTime(text);
  if (!at) throw new Error(text);
  const store = new EventStore(world.database);
  const asked: Period[][] = [];
  const reporter = dailyReporter(groundOf(world), {
    at,
    figures: async (periods) => {
      asked.push([...periods]);
      return periods.map(() => figures);
    },
    isElsewhere: false,
    moneyIn: async () => moneyIn,
    newPeople: async () => 3,
    record: (tx, notice, now) => store.record(tx, notice, now),
  });
  stop = () => reporter.stop();
  reporter.start();
  return {
    store,
    asked,
    stop: () => reporter.stop(),
    days: () => store.waiting().map(({ at: made }) => made),
  };
}

test("each day has one report at its time, over restarts and where the clock is set back", async () => {
  const world = openBotWorld();
  const first = openReporter(world);
  await world.clock.advance(8 * HOUR_MS + 59 * MINUTE_MS);
  expect(first.days()).toEqual([]);
  await world.clock.advance(MINUTE_MS);
  expect(first.days()).toEqual([Date.UTC(2026, 0, 1, 9)]);
  await first.stop();
  const second = openReporter(world);
  await world.clock.advance(48 * HOUR_MS);
  world.clock.step(-24 * HOUR_MS);
  await world.clock.advance(HOUR_MS);
  expect(second.days().map((made) => new Date(made).toISOString().slice(8, 16))).toEqual([
    "01T09:00",
    "02T09:00",
    "03T09:00",
  ]);
});

test("after a downtime the report comes later on the same day, about the same 24 hours, and none on the next", async () => {
  const world = openBotWorld();
  world.clock.step(15 * HOUR_MS);
  const { asked, days, stop: end } = openReporter(world, { at: "09:00 Europe/Moscow" });
  await world.clock.advance(0);
  expect(days()).toHaveLength(1);
  const utc = (day: number) => Date.UTC(2026, 0, day, 6);
  expect(asked).toEqual([
    [
      { from: utc(0), until: utc(1) },
      { from: utc(-7), until: utc(-6) },
    ],
  ]);
  await end();
  // Down over the whole next day: nobody reads the news of two days ago.
  world.clock.step(2 * 24 * HOUR_MS);
  const next = openReporter(world, { at: "23:59" });
  await world.clock.advance(0);
  expect(next.asked).toEqual([]);
});

describe("the report", () => {
  async function reportIn(code: string, figures = FIGURES, moneyIn = MONEY_IN): Promise<string> {
    const world = openBotWorld();
    const { store } = openReporter(world, { figures, moneyIn });
    await world.clock.advance(9 * HOUR_MS);
    const [waiting] = store.waiting();
    if (!waiting) throw new Error("no report");
    return operatorNoticeText(waiting.notice, texts.in(code), { find: () => undefined });
  }

  test("has people, orders, sums and five models, against the week before", async () => {
    const text = (await reportIn("en")).replaceAll("\u00a0", " ");
    expect(text.split("\n")).toEqual([
      "📊 The day up to January 1 (a week ago in brackets)",
      "",
      "Paid in: 5,000 ₽ (5,000 ₽)",
      "Gifts, rewards, corrections: 330 ₽ (330 ₽)",
      "New people: 3 (3)",
      "Who ordered: 7 (7)",
      "Orders: 42 (42)",
      "Spent on orders: 12,345.50 ₽ (12,345.50 ₽)",
      "Refunded for orders: 100 ₽ (100 ₽)",
      "Cost: 8,000 ₽ (8,000 ₽)",
      "Margin of orders, gifts included: 4,245.50 ₽ (4,245.50 ₽)",
      "",
      "Best models:",
      "1. Veo 4: 1,000 ₽, 10 orders",
      "2. Kling 4: 900 ₽, 9 orders",
      "3. Suno V6: 800 ₽, 8 orders",
      "4. Nano Banana: 700 ₽, 7 orders",
      "5. FLUX: 600 ₽, 6 orders",
    ]);
  });

  test("tells what was taken back where something was", async () => {
    const text = await reportIn("en", FIGURES, { ...MONEY_IN, returned: k(70_00) });
    expect(text.replaceAll("\u00a0", " ")).toContain(
      "\nPaid in: 5,000 ₽ (5,000 ₽)\nTaken back for refunds: 70 ₽ (70 ₽)\n",
    );
  });

  test("is written in Russian too, and says where a cost is not known", async () => {
    const text = await reportIn("ru", { ...FIGURES, cost: null });
    expect(text).toContain("Сутки до 1 января");
    expect(text).toContain("10 заказов");
    expect(text).toContain("Себестоимость и маржа неизвестны");
    expect(text).not.toContain("Маржа с подарками");
  });
});
