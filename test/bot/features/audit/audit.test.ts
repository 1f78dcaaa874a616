import { afterEach, beforeEach, expect, test } from "vitest";
import { ANN } from "../../../support/bot-harness.js";
import { BORIS, type Desk, MAX, openDesk } from "../../../support/desk-world.js";
import { texts } from "../../../support/drafts.js";

const { t } = texts.in("en");

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  for (const person of [ANN, BORIS]) await desk.say("/start", person);
});
afterEach(() => desk.close());

test("/audit shows acts by pages, newest first, with who, whom, when, before and after", async () => {
  for (let rubles = 1; rubles <= 11; rubles += 1) await desk.max(`/credit ${ANN.id} ${rubles} r${rubles}`);
  await desk.max(`/ban ${BORIS.id} <spam>`);
  const first = await desk.max("/audit");
  expect(first).toMatch(/Max · <b>orders stopped<\/b>\nBoris id <code>8<\/code> · &lt;spam&gt;/);
  expect(first).toContain("55\u00a0₽ → 66\u00a0₽ · r11");
  expect(first).not.toContain("r2\n");
  await desk.tap(desk.button(t("button-older")), desk.telegram.lastId, MAX);
  expect(desk.said().at(-1)).toContain("0\u00a0₽ → 1\u00a0₽ · r1");
  expect(desk.said().at(-1)).not.toContain("r11");
  await desk.tap(desk.button(t("button-newest")), desk.telegram.lastId, MAX);
  expect(desk.said().at(-1)).toBe(first);
});

test("/audit PERSON shows the acts of that person alone", async () => {
  expect(await desk.max(`/audit ${ANN.id}`)).toBe(t("audit-none"));
  await desk.max(`/credit ${ANN.id} 5`);
  await desk.max(`/ban ${BORIS.id}`);
  expect(await desk.max(`/audit ${BORIS.id}`)).not.toContain("credit");
  expect(await desk.max("/audit 4242")).toBe(t("person-stranger"));
});

test("/audit is unknown to others, and its buttons do nothing for them", async () => {
  for (let rubles = 1; rubles <= 11; rubles += 1) await desk.max(`/credit ${ANN.id} ${rubles}`);
  await desk.max("/audit");
  const older = desk.button(t("button-older"));
  const before = desk.said().length;
  await desk.tap(older, 1, ANN);
  await desk.tap(older, 1, MAX, { chat: { id: -1, type: "supergroup", title: "S" } });
  await desk.say("/audit");
  await desk.say("/nonsense");
  const [answer, unknown] = desk.said().slice(before);
  expect(answer).toBe(unknown);
});
