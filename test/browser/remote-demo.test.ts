import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "./browser.js";
import { ANNA, BORIS, seesPicture, Visit } from "./visit.js";

const RESULT_MS = 60_000;

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("with --remote a text becomes a picture, and everybody shares the balance of the service", async () => {
  const visit = await Visit.begin(browser, undefined, ["--remote"]);
  onTestFinished(() => visit.close());
  await visit.start(ANNA);
  await visit.say(ANNA, "a lighthouse on a cliff above a stormy sea at sunset");
  await visit.press(ANNA, /^✅ Generate/);
  await seesPicture(visit.chat(ANNA).locator("img.photo").last(), RESULT_MS);
  const paid = await visit
    .chat(ANNA)
    .getByText(/balance\u00a0/)
    .last()
    .textContent();
  const [left] = /(?<=balance\u00a0)[\d.]+/.exec(paid ?? "") ?? [];
  expect(Number(left)).toBeLessThan(1000);
  await visit.start(BORIS);
  await visit.see(BORIS, `${left}\u00a0₽`);
  await visit.end();
});
