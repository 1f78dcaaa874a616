import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { drawInProcess } from "../../src/workers/chart-process.js";
import { texts } from "../support/drafts.js";
import { BORIS, openTestService, type TestService, TOKEN } from "../support/service.js";
import { startBrowser } from "./browser.js";
import { PhonePage } from "./phone-page.js";
import { seesPicture } from "./visit.js";

const ADMIN = { id: 104, first_name: "Ольга", username: "olga", language_code: "ru", is_admin: true };
const PEOPLE = [BORIS, ADMIN];
const PROMPT = "рыжая лиса в снегу";
const RESULT_MS = 30_000;
/** The program that draws charts, as `build` leaves it. */
const CHART_WORKER = join(import.meta.dirname, "../../dist/workers/chart-worker.js");

let browser: Browser;
let service: TestService;
let phone: PhonePage;

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
  browser = await startBrowser();
  phone = await PhonePage.open(browser, sandbox.url);
  for (const person of PEOPLE) {
    await phone.as(person);
    await phone.start();
  }
});
afterAll(async () => {
  await phone.close();
  await browser.close();
  await service.close();
});

describe("on a phone, in Russian", () => {
  const { t, money } = texts.in("ru");

  test("too little money leads to the exact sum, the terms, the invoice, the card and the picture", async () => {
    await phone.as(BORIS);
    await phone.say(PROMPT);
    await phone.key(/^⭐ .*10/).waitFor();
    await phone.look("1-short");
    await phone.press(/^⭐ .*10/);
    await phone.key(t("button-agree")).waitFor();
    await phone.look("2-terms");
    await phone.press(t("button-agree"));
    const pay = phone.pane.getByTestId("pay");
    await pay.click();
    await phone.look("3-invoice");
    // The purse is empty: the page says so and fills it.
    await phone.pane.getByTestId("toast").getByRole("button").click();
    await expect.poll(() => phone.readMenu()).toContain("⭐ 500");
    await pay.click();
    await phone.see(/^\+10\u00a0₽/);
    await phone.key(/^✅/).waitFor();
    await phone.look("4-paid");
    await phone.press(/^✅/);
    await phone.key(/^🎲/).waitFor();
    await seesPicture(phone.chat.locator("img.photo").last(), RESULT_MS);
    await phone.look("5-picture");
    expect(service.balanceOf(BORIS.id)).toBe(0);
  });

  test("the terms, the privacy policy and the help with payments are read", async () => {
    await phone.as(BORIS);
    await phone.say("/terms");
    await phone.see(/^Условия использования/);
    await phone.say("/privacy");
    await phone.see(/^Политика конфиденциальности/);
    await phone.say("/paysupport");
    await phone.see("P-");
    await phone.look("6-legal");
    await phone.say("/balance");
    await phone.key(t("button-statement-file")).waitFor();
    await phone.look("7-balance");
    await phone.press(t("button-statement-file"));
    await phone.chat.getByTestId("document").waitFor();
  });

  test("an admin credits, reads, stops and switches at the desk, which others do not have", async () => {
    const credited = money(asKopecks(25_50));
    await phone.as(ADMIN);
    await phone.say(`/account @${BORIS.username}`);
    await phone.key(t("button-ban")).waitFor();
    await phone.look("8-account");
    await phone.press(t("button-credit"));
    await phone.key(t("button-back")).waitFor();
    await phone.say("25,5");
    await phone.press(t("button-correct-credit", { sum: credited }));
    await phone.see(credited);
    await phone.say("/order 1");
    await phone.key(t("button-files")).waitFor();
    await phone.look("9-order");
    await phone.say("/stats");
    await phone.key(t("button-stats", { span: "month" })).waitFor();
    await seesPicture(phone.last.locator("img.photo"), RESULT_MS);
    await phone.look("10-stats");
    await phone.say("/audit");
    await phone.see(t("act-credit"));
    await phone.say(`/ban @${BORIS.username} 7d`);
    await phone.see(t("ban-until", { until: "" }).trim());
    await phone.say(`/unban @${BORIS.username}`);
    await phone.look("11-audit");
    await phone.say("/models");
    await phone.press(/Nano Banana Pro/);
    await phone.press(t("button-model-off"));
    await phone.press(t("button-model-on"));
    await phone.key(t("button-model-off")).waitFor();
    await phone.look("12-models");

    await phone.as(BORIS);
    await phone.see(t("told-unban"));
    await phone.look("13-told");
    const pictures = await phone.chat.locator("img.photo").count();
    for (const command of ["account", "order 1", "stats", "audit", "ban", "models", "broadcast"]) {
      await phone.say(`/${command}`);
      await expect.poll(() => phone.last.textContent()).toMatch(/Такой команды/);
    }
    expect(await phone.chat.locator("img.photo").count()).toBe(pictures);
  });

  test("a broadcast is seen before it is sent, arrives, and is turned off", async () => {
    const news = `${PROMPT}!`;
    await phone.as(ADMIN);
    await phone.say("/broadcast");
    await phone.see(t("broadcast-ask").slice(0, 20));
    await phone.say(news);
    await phone.key(t("button-news-off")).waitFor();
    const send = phone.key(/^📣/);
    await send.waitFor();
    await phone.look("14-preview");
    expect(await send.textContent()).toContain(String(PEOPLE.length));
    await send.click();
    await phone.see(/^✅ Отправлено/);
    await phone.look("15-sent");
    await phone.as(BORIS);
    await phone.see(news);
    await phone.press(t("button-news-off"));
    const alert = phone.pane.getByTestId("alert");
    await alert.getByText(t("news-off")).waitFor();
    await alert.getByRole("button").click();
    await phone.look("16-news");
  });
});
