import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startBrowser } from "./browser.js";
import { ANNA, endBelowPx, Visit } from "./visit.js";

const PHONE = { width: 390, height: 844 };
const PHOTO = join(import.meta.dirname, "../../packages/telegram-sandbox/src/page/screenshot.png");

let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  visit = await Visit.begin(browser, PHONE);
});
afterEach(() => visit.end());

/** Grows the messages in the moment of a scroll, as a browser may: both come before any observer of sizes. */
function growWhileScrolling(scroller: Locator): Promise<void> {
  return scroller.evaluate((element) => {
    element.querySelector(".timeline-content")?.setAttribute("style", "padding-bottom: 400px");
    element.scrollBy(0, -1);
  });
}

test("the introduction of a chat without messages is read from its top, also where it is taller than the window", async () => {
  const scroller = visit.scroller(ANNA);
  await scroller.locator(".intro h2").waitFor();
  await growWhileScrolling(scroller);
  await expect.poll(() => endBelowPx(scroller)).toBeGreaterThan(300);
  expect(await scroller.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  expect(await visit.chat(ANNA).getByTestId("to-end").isVisible()).toBe(false);
});

test("a chat scrolled to its end stays there when the layout changes", async () => {
  const scroller = visit.scroller(ANNA);
  const toEnd = visit.chat(ANNA).getByTestId("to-end");
  await visit.start(ANNA);
  await visit.attach(ANNA, { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) });
  await visit.button(ANNA, /^Photos: 1/).waitFor();
  await expect.poll(() => endBelowPx(scroller)).toBeLessThan(2);

  await growWhileScrolling(scroller);
  await expect.poll(() => endBelowPx(scroller)).toBeLessThan(2);
  expect(await toEnd.isVisible()).toBe(false);

  await scroller.evaluate((element) => element.scrollTo(0, 0));
  await toEnd.waitFor();
  expect(await endBelowPx(scroller), "who scrolls away is left alone").toBeGreaterThan(400);
});
