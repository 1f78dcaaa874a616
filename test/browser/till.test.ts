/// <reference lib="dom" />
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { drawInProcess } from "../../src/workers/chart-process.js";
import { texts } from "../support/drafts.js";
import { BORIS, openTestService, type TestService, TOKEN } from "../support/service.js";
import { openBrowser } from "./browser.js";
import { seesPicture, Visit } from "./visit.js";

const ADMIN = { id: 104, first_name: "Ольга", username: "olga", language_code: "ru", is_admin: true };
const PEOPLE = [BORIS, ADMIN];
const PROMPT = "рыжая лиса в снегу";
const RESULT_MS = 30_000;
/** The program that draws charts, as `build` leaves it. */
const CHART_WORKER = join(import.meta.dirname, "../../dist/workers/chart-worker.js");

const PHONE = { width: 390, height: 844 };
/** Screenshots for the eye, where a folder is named. */
const SHOTS = process.env.SCREENSHOTS;
/** What only logs and the API say, and what a template leaves where a value is missing. */
const NOT_FOR_PEOPLE = /Bad Request|\bXTR\b|\btelegram:\d|\btill:|local preview|undefined|\bnull\b|\{ ?\$/;
/** A month in English beside a number, as a date of the wrong language has it. */
const ENGLISH_DATE =
  /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d/;

const browser = openBrowser();
let service: TestService;
let visit: Visit;

beforeAll(async () => {
  const sandbox = await createSandbox({ token: TOKEN, people: PEOPLE, group: { title: "Studio" } });
  service = await openTestService({
    sandbox,
    overrides: { drawChart: (bars) => drawInProcess(bars, CHART_WORKER) },
    environment: {
      ADMIN_IDS: String(ADMIN.id),
      WELCOME_CREDIT_RUB: "0",
      TOPUP_STARS: "50:50,100:105,250:270",
      STARS_RATE_KOPECKS: "100",
    },
  });
  if (SHOTS) await mkdir(SHOTS, { recursive: true });
  visit = await Visit.at(sandbox.url, browser(), PHONE);
  for (const person of PEOPLE) {
    await visit.lookAs(person.id);
    await visit.start(person.id);
  }
});
afterAll(async () => {
  await visit.end();
  await service.close();
});

/** What a person's menu tells of the purse, as the page knows it. */
async function readMenu(person: number): Promise<string> {
  const menu = visit.pane(person).getByTestId("menu");
  const button = menu.locator(".tool");
  await button.click();
  const text = await menu.locator(".menu").textContent();
  await button.click();
  return text ?? "";
}

/** Checks what the whole chat looks like at the end of a step, and keeps it for the eye. */
async function look(person: number, step: string): Promise<void> {
  const seen = await visit.chat(person).evaluate((chat) => {
    const scroller = chat.querySelector(".scroller");
    const labels = [...chat.querySelectorAll(".button-label")];
    return {
      sidewaysPx: scroller ? scroller.scrollWidth - scroller.clientWidth : Number.NaN,
      cut: labels
        .filter((label) => label.scrollWidth > label.clientWidth + 1)
        .map((label) => label.textContent),
      text: chat.textContent ?? "",
    };
  });
  if (SHOTS) {
    await visit.scroller(person).evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await visit.shot(join(SHOTS, `till-${step}.png`));
  }
  expect(seen.sidewaysPx, `${step} does not scroll sideways`).toBe(0);
  expect(seen.cut, `${step}: every label is whole`).toEqual([]);
  expect(seen.text, `${step} is in the words of people`).not.toMatch(NOT_FOR_PEOPLE);
  expect(seen.text, `${step} has dates in Russian`).not.toMatch(ENGLISH_DATE);
}

describe("on a phone, in Russian", () => {
  const { t, money } = texts.in("ru");

  test("too little money leads to the exact sum, the terms, the invoice, the card and the picture", async () => {
    await visit.lookAs(BORIS.id);
    await visit.say(BORIS.id, PROMPT);
    await visit.button(BORIS.id, /^⭐ .*10/).waitFor();
    await look(BORIS.id, "1-short");
    await visit.press(BORIS.id, /^⭐ .*10/);
    await visit.button(BORIS.id, t("button-agree")).waitFor();
    await look(BORIS.id, "2-terms");
    await visit.press(BORIS.id, t("button-agree"));
    const pay = visit.pane(BORIS.id).getByTestId("pay");
    await pay.click();
    await look(BORIS.id, "3-invoice");
    // The purse is empty: the page says so and fills it.
    await visit.pane(BORIS.id).getByTestId("toast").getByRole("button").click();
    await expect.poll(() => readMenu(BORIS.id)).toContain("⭐ 500");
    await pay.click();
    await visit.see(BORIS.id, /^\+10\u00a0₽/);
    await visit.button(BORIS.id, /^✅/).waitFor();
    await look(BORIS.id, "4-paid");
    await visit.press(BORIS.id, /^✅/);
    await visit.button(BORIS.id, /^🎲/).waitFor();
    await seesPicture(visit.chat(BORIS.id).locator("img.photo").last(), RESULT_MS);
    await look(BORIS.id, "5-picture");
    expect(service.balanceOf(BORIS.id)).toBe(0);
  });

  test("the terms, the privacy policy and the help with payments are read", async () => {
    await visit.lookAs(BORIS.id);
    await visit.say(BORIS.id, "/terms");
    await visit.see(BORIS.id, /^Условия использования/);
    await visit.say(BORIS.id, "/privacy");
    await visit.see(BORIS.id, /^Политика конфиденциальности/);
    await visit.say(BORIS.id, "/paysupport");
    await visit.see(BORIS.id, "P-");
    await look(BORIS.id, "6-legal");
    await visit.say(BORIS.id, "/balance");
    await visit.button(BORIS.id, t("button-statement-file")).waitFor();
    await look(BORIS.id, "7-balance");
    await visit.press(BORIS.id, t("button-statement-file"));
    await visit.chat(BORIS.id).getByTestId("document").waitFor();
  });

  test("an admin credits, reads, stops and switches at the desk, which others do not have", async () => {
    const credited = money(asKopecks(25_50));
    await visit.lookAs(ADMIN.id);
    await visit.say(ADMIN.id, `/account @${BORIS.username}`);
    await visit.button(ADMIN.id, t("button-ban")).waitFor();
    await look(ADMIN.id, "8-account");
    await visit.press(ADMIN.id, t("button-credit"));
    await visit.button(ADMIN.id, t("button-back")).waitFor();
    await visit.say(ADMIN.id, "25,5");
    await visit.press(ADMIN.id, t("button-correct-credit", { sum: credited }));
    await visit.see(ADMIN.id, credited);
    await visit.say(ADMIN.id, "/order 1");
    await visit.button(ADMIN.id, t("button-files")).waitFor();
    await look(ADMIN.id, "9-order");
    await visit.say(ADMIN.id, "/stats");
    await visit.button(ADMIN.id, t("button-stats", { span: "month" })).waitFor();
    await seesPicture(visit.chat(ADMIN.id).getByTestId("message").last().locator("img.photo"), RESULT_MS);
    await look(ADMIN.id, "10-stats");
    await visit.say(ADMIN.id, "/audit");
    await visit.see(ADMIN.id, t("act-credit"));
    await visit.say(ADMIN.id, `/ban @${BORIS.username} 7d`);
    await visit.see(ADMIN.id, t("ban-until", { until: "" }).trim());
    await visit.say(ADMIN.id, `/unban @${BORIS.username}`);
    await look(ADMIN.id, "11-audit");
    await visit.say(ADMIN.id, "/models");
    await visit.press(ADMIN.id, /Nano Banana Pro/);
    await visit.press(ADMIN.id, t("button-model-off"));
    await visit.press(ADMIN.id, t("button-model-on"));
    await visit.button(ADMIN.id, t("button-model-off")).waitFor();
    await look(ADMIN.id, "12-models");

    await visit.lookAs(BORIS.id);
    await visit.see(BORIS.id, t("told-unban"));
    await look(BORIS.id, "13-told");
    const pictures = await visit.chat(BORIS.id).locator("img.photo").count();
    for (const command of ["account", "order 1", "stats", "audit", "ban", "models", "broadcast"]) {
      await visit.say(BORIS.id, `/${command}`);
      await expect
        .poll(() => visit.chat(BORIS.id).getByTestId("message").last().textContent())
        .toMatch(/Такой команды/);
    }
    expect(await visit.chat(BORIS.id).locator("img.photo").count()).toBe(pictures);
  });

  test("a broadcast is seen before it is sent, arrives, and is turned off", async () => {
    const news = `${PROMPT}!`;
    await visit.lookAs(ADMIN.id);
    await visit.say(ADMIN.id, "/broadcast");
    await visit.see(ADMIN.id, t("broadcast-ask").slice(0, 20));
    await visit.say(ADMIN.id, news);
    await visit.button(ADMIN.id, t("button-news-off")).waitFor();
    const send = visit.button(ADMIN.id, /^📣/);
    await send.waitFor();
    await look(ADMIN.id, "14-preview");
    expect(await send.textContent()).toContain(String(PEOPLE.length));
    await send.click();
    await visit.see(ADMIN.id, /^✅ Отправлено/);
    await look(ADMIN.id, "15-sent");
    await visit.lookAs(BORIS.id);
    await visit.see(BORIS.id, news);
    await visit.press(BORIS.id, t("button-news-off"));
    const alert = visit.pane(BORIS.id).getByTestId("alert");
    await alert.getByText(t("news-off")).waitFor();
    await alert.getByRole("button").click();
    await look(BORIS.id, "16-news");
  });
});
