import { beforeEach, expect, test } from "vitest";
import { subjectHtml } from "../../../src/bot/features/audit.js";
import { ANN, BORIS } from "../../support/bot-harness.js";
import { type Desk, openDesk } from "../../support/desk-world.js";
import { t, texts } from "../../support/drafts.js";
import { sources } from "../../support/table-descriptions.js";

let desk: Desk;
beforeEach(async () => {
  desk = openDesk();
  for (const person of [ANN, BORIS]) await desk.say("/start", person);
});

test("/audit shows acts by pages, newest first, with who, whom, when, before and after", async () => {
  for (let rubles = 1; rubles <= 11; rubles += 1) await desk.max(`/credit ${ANN.id} ${rubles} r${rubles}`);
  await desk.max(`/ban ${BORIS.id} <spam>`);
  const first = await desk.max("/audit");
  expect(first).toMatch(/Max · <b>orders stopped<\/b>\nBoris id <code>8<\/code> · &lt;spam&gt;/);
  expect(first).toContain("55\u00a0₽ → 66\u00a0₽ · r11");
  expect(first).not.toContain("r2\n");
  await desk.press(t("button-older"));
  expect(desk.said().at(-1)).toContain("0\u00a0₽ → 1\u00a0₽ · r1");
  expect(desk.said().at(-1)).not.toContain("r11");
  await desk.press(t("button-newest"));
  expect(desk.said().at(-1)).toBe(first);
});

test("/audit PERSON shows the acts of that person alone", async () => {
  expect(await desk.max(`/audit ${ANN.id}`)).toBe(t("audit-none"));
  await desk.max(`/credit ${ANN.id} 5`);
  await desk.max(`/ban ${BORIS.id}`);
  expect(await desk.max(`/audit ${BORIS.id}`)).not.toContain("Ann");
  expect(await desk.max("/audit 4242")).toBe(t("person-stranger"));
});

test("each act and what it concerns has words in each language", () => {
  const named = (pattern: RegExp) =>
    new Set(sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name)));
  const acts = [
    ...named(/\bact: "([\w-]+)"/g),
    "credit",
    "debit",
    "broadcast",
    "broadcast_stop",
    "broadcast_resume",
  ];
  const subjects = [...named(/subject: `([a-z]+):\$/g), "order", "offers", "moderation"];
  expect(acts.length).toBeGreaterThan(15);
  expect(subjects.length).toBeGreaterThan(7);
  for (const { has } of texts.languages) {
    expect(acts.filter((act) => !has(`act-${act}`))).toEqual([]);
    expect(subjects.filter((subject) => !has(`subject-${subject}`))).toEqual([]);
  }
});

test("an order is named by its number, an admin by name, and what has no words by itself", () => {
  const language = texts.in("en");
  const names = { ...desk.parts, orders: { find: () => ({ number: 12 }) } as never };
  expect(subjectHtml("order:abc", names, language)).toBe(t("subject-order", { name: "12" }));
  expect(subjectHtml(`admin:${BORIS.id}`, names, language)).toBe("Boris");
  expect(subjectHtml("<x>:1", names, language)).toBe("&lt;x&gt;:1");
});
