import type { Locator, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Demo, startDemo } from "./demo.js";

const ANNA = 1001;
const BORIS = 1002;
const OLGA = 1003;
/** What the README promises from opening the page to the first picture, in ms. */
const FIRST_PICTURE_MS = 60_000;

let demo: Demo;
let page: Page;
let faults: string[];
let asked: Set<string>;

beforeEach(async () => {
  faults = [];
  asked = new Set();
  demo = await startDemo();
  page = await demo.browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  await page.goto(`${demo.address}/#panes=3`);
  await page.locator("html[data-ready]").waitFor();
});
afterEach(async () => {
  await demo.stop();
  expect(faults, "the page has no fault").toEqual([]);
  expect([...asked], "nothing outside this machine is asked").toEqual([demo.address]);
});

function chatOf(person: number): Locator {
  return page.locator(`[data-person="${person}"] [data-chat="${person}"]`);
}

function paneOf(person: number): Locator {
  return page.locator(`[data-person="${person}"]`);
}

async function say(person: number, text: string): Promise<void> {
  const composer = paneOf(person).locator("textarea:visible");
  await composer.fill(text);
  await composer.press("Enter");
}

async function press(person: number, label: RegExp): Promise<void> {
  await chatOf(person).locator("button[data-callback]", { hasText: label }).last().click();
}

async function seePicture(person: number): Promise<void> {
  const photo = chatOf(person).locator("img.photo").last();
  await photo.waitFor({ state: "visible", timeout: FIRST_PICTURE_MS });
  await expect
    .poll(() => photo.evaluate((image) => Number(Reflect.get(image, "naturalWidth"))))
    .toBeGreaterThan(0);
}

test("from /start to a visible picture, by typing and tapping only, within a minute", async () => {
  const begun = Date.now();
  await paneOf(ANNA).getByTestId("start").click();
  await chatOf(ANNA).getByText("I make pictures from your words").waitFor();
  await say(ANNA, "/image");
  await press(ANNA, /Nano Banana 2\.1/);
  await press(ANNA, /^Format/);
  await press(ANNA, /^16:9/);
  await chatOf(ANNA).locator("button[data-callback]", { hasText: "Format: 16:9" }).waitFor();
  await say(ANNA, "a lighthouse on a cliff above a stormy sea at sunset");
  await press(ANNA, /^✅ Generate · 10 ₽/);
  await seePicture(ANNA);
  expect(Date.now() - begun).toBeLessThan(FIRST_PICTURE_MS);
  await chatOf(ANNA).getByText("290 ₽ left").waitFor();
  await press(ANNA, /Original/);
  await chatOf(ANNA).getByTestId("document").waitFor();
});

test("a Russian speaker gets an album in Russian", async () => {
  await paneOf(BORIS).getByTestId("start").click();
  await chatOf(BORIS).getByText("Я рисую картинки").waitFor();
  await say(BORIS, "/image");
  await press(BORIS, /Nano Banana 2 Lite/);
  await press(BORIS, /^Картинок/);
  await press(BORIS, /^2$/);
  await chatOf(BORIS).locator("button[data-callback]", { hasText: "Картинок: 2" }).waitFor();
  await say(BORIS, "ночной город под дождём");
  await press(BORIS, /^✅ Создать · 10 ₽/);
  await seePicture(BORIS);
  await chatOf(BORIS).getByTestId("album").waitFor();
  await chatOf(BORIS).getByText("Готово картинок: 2 из 2").waitFor();
});

test("an admin credits a user, who is told at once", async () => {
  await paneOf(ANNA).getByTestId("start").click();
  await chatOf(ANNA).getByText("I make pictures").waitFor();
  await paneOf(OLGA).getByTestId("start").click();
  await chatOf(OLGA).getByText("I make pictures").waitFor();
  await say(OLGA, "/credit @anna 25.5 for testing");
  await chatOf(OLGA).getByText("25.50 ₽ added to Anna").waitFor();
  await chatOf(ANNA).getByText("Reason: for testing").waitFor();
});
