import { beforeEach, expect, test } from "vitest";
import { periodsOf, statsText } from "../../../src/bot/features/stats.js";
import { localTimeHtml } from "../../../src/bot/texts/moment.js";
import { FAILURES } from "../../../src/contract/job.js";
import { asKopecks } from "../../../src/contract/price.js";
import type { Chart } from "../../../src/workers/chart-process.js";
import { ANN, BORIS, MAX, PHOTO } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { order } from "../../support/core.js";
import { type Desk, openDesk } from "../../support/desk-world.js";
import { money, t, texts } from "../../support/drafts.js";
import { OFFER } from "../../support/stars-offer.js";

const DAY_MS = 24 * 3_600_000;

let desk: Desk;
beforeEach(() => {
  desk = openDesk();
});

const captions = () => desk.telegram.payloadsOf("sendPhoto").map(({ caption }) => String(caption));
const press = (span: string, more = {}) => desk.press(t("button-stats", { span }), MAX, more);
const photo = { photo: PHOTO };

const since = (at: number) => localTimeHtml(at, texts.in("en"));
const paid = ({ by, kopecks = 0 }: { by: string; kopecks?: number }) =>
  t("stats-paid", { by, paid: money(kopecks), hasReturned: 0, returned: money(0) });

async function topUp(chargeId: string): Promise<void> {
  const { payments } = desk.core.core.accounts;
  const pack = { till: "stars", userId: ANN.id, price: 50, kopecks: asKopecks(50_00) };
  const { ref } = await payments.openInvoice(pack);
  await payments.take({ till: "stars", chargeId, invoiceRef: ref, userId: ANN.id, price: 50, paidAt: 1 });
}

test("/stats shows today with its chart, and other spans on a tap", async () => {
  const ann = await desk.core.person(ANN.id, 100_00);
  await desk.say("/start", BORIS);
  const { cost_rub } = await order(ann, "early");
  await topUp("early");
  await desk.core.clock.advance(2 * DAY_MS);
  await desk.say("/start");
  await desk.say("/stats", MAX);
  const [today = ""] = captions();
  expect(today).toContain(t("stats-title", { span: "today", since: since(Date.UTC(2026, 0, 3)) }));
  expect(today).toContain(t("stats-people", { fresh: 2, returning: 0 }));
  expect(today).toContain(t("stats-orders", { orders: 0, buyers: 0 }));
  expect(today).toContain(paid({ by: "none" }));
  expect(today).toContain(t("stats-queue", { waiting: 1, generating: 0 }));
  await press("week", photo);
  const { media } = desk.telegram.payloadsOf("editMessageMedia").at(-1) as { media: { caption: string } };
  expect(media.caption).toContain(t("stats-people", { fresh: 3, returning: 0 }));
  expect(media.caption).toContain(t("stats-orders", { orders: 1, buyers: 1 }));
  const income = money(cost_rub * 100);
  expect(media.caption).toContain(t("stats-income", { income, refunds: money(0) }));
  // What was paid stands first, and what an admin gave is no part of it.
  expect(media.caption.split("\n")[2]).toBe(paid({ by: "Telegram Stars", kopecks: 50_00 }));
  const given = { gifts: money(0), rewards: money(0), corrections: money(100_00) };
  expect(media.caption).toContain(t("stats-given", given));
  expect(media.caption).toContain(t("stats-left", { left: money(50_00) }));
});

test("the Stars of the bot are told where Telegram tells them, and only where Stars are sold", async () => {
  expect(await desk.max("/stats")).toBeDefined();
  expect(desk.telegram.callsOf("getMyStarBalance")).toEqual([]);
  desk = openDesk({ bot: { stars: OFFER } });
  desk.telegram.answer("getMyStarBalance", { amount: 1250 });
  await desk.say("/stats", MAX);
  const told = t("stats-stars", { stars: 1250 });
  expect(captions().at(-1)).toContain(told);
  for (const fault of [refusal(404, "Not Found"), brokenConnection()]) {
    desk.telegram.failNext("getMyStarBalance", fault);
    await desk.say("/stats", MAX);
  }
  desk.telegram.answer("getMyStarBalance", { stars: "many" });
  await desk.say("/stats", MAX);
  const later = captions().slice(-3);
  expect(later.every((text) => text.includes(t("stats-queue", { waiting: 0, generating: 0 })))).toBe(true);
  expect(later.join()).not.toContain(t("stats-stars", { stars: 1250 }).slice(0, 12));
});

test("a chart that cannot be drawn leaves the figures", async () => {
  desk = openDesk({ bot: { drawChart: () => Promise.reject(new Error("killed")) } });
  expect(await desk.max("/stats")).toContain(t("stats-orders", { orders: 0, buyers: 0 }));
  await press("month");
  expect(desk.said().at(-1)).toContain(
    t("stats-title", { span: "month", since: since(Date.UTC(2025, 11, 2)) }),
  );
  await press("week", photo);
  expect(desk.telegram.payloadsOf("editMessageCaption")).toHaveLength(1);
});

test("the chart has a place for each hour of today, with the highest sum, hours and days in digits", async () => {
  const drawn: Chart[] = [];
  desk = openDesk({
    bot: {
      drawChart: async (chart) => {
        drawn.push(chart);
        return Buffer.from("chart");
      },
    },
  });
  const { cost_rub } = await order(await desk.core.person(ANN.id, 100_00), "one");
  await desk.say("/stats", MAX);
  await press("week", photo);
  const [today, week] = drawn;
  const labels = today?.columns.map(({ label }) => label) ?? [];
  expect(labels.filter(Boolean)).toEqual(["0", "6", "12", "18"]);
  expect(labels).toHaveLength(24);
  expect(today?.columns[0]).toEqual({ value: cost_rub * 100, marked: 0, label: "0" });
  expect(today?.highest).toBe(`${cost_rub}`);
  // The clock stands at the midnight after these days.
  expect(week?.columns.map(({ label }) => label)).toEqual(["25", "26", "27", "28", "29", "30", "31"]);
});

test("the columns of a span cover it without a gap", () => {
  const now = Date.UTC(2026, 2, 29, 15, 30);
  for (const span of ["today", "week", "month"] as const)
    for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata"])
      for (const at of [now, Date.UTC(2026, 2, 29)]) {
        const { whole, parts } = periodsOf(span, at, zone);
        expect([parts[0]?.from, parts.at(-1)?.until]).toEqual([whole.from, at + 1]);
        for (const [index, part] of parts.slice(1).entries()) expect(part.from).toBe(parts[index]?.until);
      }
});

test.each(["en", "ru"])("the longest figures fit under a picture (%s)", (code) => {
  const sum = asKopecks(9_999_999_999_99);
  const failures = FAILURES.map((failure) => ({ title: "x".repeat(200), failure, jobs: 9_999_999 }));
  const counts = { orders: 9_999_999, buyers: 9_999_999, models: [], failures };
  const figures = { ...counts, income: sum, refunds: sum, cost: null };
  const text = statsText(
    {
      span: "month",
      period: { from: 0, until: 1 },
      people: { fresh: 9_999_999, returning: 9_999_999 },
      summary: {
        whole: figures,
        parts: [figures],
        moneyIn: {
          tills: Array.from({ length: 9 }, () => ({ till: "y".repeat(50), paid: sum, returned: sum })),
          ...{ paid: sum, returned: sum, gifts: sum, rewards: sum, corrections: sum },
        },
        queue: { waiting: 9_999_999, generating: 9_999_999, oldestAt: 1 },
      },
      stars: -9_999_999,
    },
    texts.in(code),
  );
  // Telegram counts what is left of it without its tags.
  expect(text.replaceAll(/<[^>]*>/g, "").length).toBeLessThanOrEqual(1024);
});
