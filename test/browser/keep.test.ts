import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Demo, startDemo } from "../support/demo.js";
import { newFolder } from "../support/new-folder.js";
import { startBrowser } from "./browser.js";

const ANNA = 1001;

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

async function look(demo: Demo): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(demo.address);
  await page.locator("html[data-ready]").waitFor();
  return page;
}

test("a demo with --keep that was killed continues with its chats, balance and cards", async () => {
  const options = ["--keep", join(newFolder(), "demo")];
  const first = await startDemo(options);
  onTestFinished(() => first.stop());
  const before = await look(first);
  const write = before.locator(`[data-person="${ANNA}"] textarea:visible`);
  await before.locator(`[data-person="${ANNA}"]`).getByTestId("start").click();
  await write.fill("/image a mill");
  await write.press("Enter");
  const pay = before.locator("button[data-callback]:visible", { hasText: /^✅ / });
  await pay.waitFor();
  const words = await pay.textContent();
  await before.close();
  await first.stop("SIGKILL");

  const second = await startDemo(options);
  onTestFinished(() => second.stop());
  const after = await look(second);
  const chat = after.locator(`[data-person="${ANNA}"] [data-chat="${ANNA}"]`);
  expect(await after.locator(`[data-person="${ANNA}"]`).getByTestId("start").isVisible()).toBe(false);
  const again = chat.locator("button[data-callback]", { hasText: /^✅ / }).last();
  expect(await again.textContent()).toBe(words);
  await again.click();
  await chat.locator("img.photo").last().waitFor({ timeout: 60_000 });
  await after.close();
  await second.stop();
});
