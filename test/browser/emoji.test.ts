import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "./browser.js";
import { SandboxPage } from "./sandbox-page.js";

const ROOT = join(import.meta.dirname, "../..");
const FONT_BYTES_MAX = 600_000;
/** A code point that no font has: it shows what an absent glyph looks like. */
const ABSENT = "\u{10fffd}";

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Every emoji of the words that users read. */
function emojiOfLocales(): string[] {
  const words = ["en", "ru"].map((name) => readFileSync(join(ROOT, `locales/${name}.ftl`), "utf8")).join("");
  return [...new Set(words.match(/\p{Regional_Indicator}{2}|\p{Extended_Pictographic}\ufe0f?/gu))];
}

/** What a browser draws for each text in the page's own font, cell by cell, as the pixels of the cell. */
async function drawn(page: Page, texts: readonly string[]): Promise<string[]> {
  await page.evaluate(async (texts) => {
    const cells = texts.map((text) => {
      const cell = document.createElement("span");
      cell.style.cssText = 'display:block;overflow:hidden;font:36px/48px "Atelier Emoji";text-align:center';
      cell.textContent = text;
      return cell;
    });
    const columns = "repeat(auto-fill, 48px)";
    document.body.style.cssText = `display:grid;grid-template:none/${columns};grid-auto-rows:48px;height:auto`;
    document.body.style.background = "#fff";
    document.body.replaceChildren(...cells);
    await document.fonts.load('36px "Atelier Emoji"', texts.join(""));
    await document.fonts.ready;
  }, texts);
  const shot = `data:image/png;base64,${(await page.screenshot()).toString("base64")}`;
  return page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context?.drawImage(image, 0, 0);
    return [...document.body.children].map((cell) => {
      const { x, y } = cell.getBoundingClientRect();
      return context?.getImageData(x, y, 48, 48).data.join() ?? "";
    });
  }, shot);
}

/** How many colours there are in pixels as `drawn` gives them. */
function colours(pixels: string): number {
  return new Set(pixels.match(/\d+,\d+,\d+,\d+/g)).size;
}

test("every emoji of the locales is drawn, and with colours, where the machine has no font for it", async () => {
  const view = await SandboxPage.begin(browser);
  const emoji = emojiOfLocales();
  expect(emoji.length).toBeGreaterThan(10);
  const [absent, ...cells] = await drawn(view.page, [ABSENT, "🎬", ...emoji]);
  const [clapper = ""] = cells.splice(0, 1);
  expect(colours(clapper)).toBeGreaterThan(60);
  const missing = emoji.filter((_, index) => cells[index] === absent || colours(cells[index] ?? "") < 5);
  expect(missing).toEqual([]);
  await view.end();
});

test("the page draws the emoji of messages and buttons with that font", async () => {
  const view = await SandboxPage.begin(browser);
  view.sandbox.person(1001).sendText("🎬");
  const text = view.chat(1001).locator(".is-emoji .text");
  await text.waitFor();
  await expect
    .poll(() => view.page.evaluate(() => [...document.fonts].map(({ family, status }) => [family, status])))
    .toEqual([["Atelier Emoji", "loaded"]]);
  await view.end();
});

test("the font stays small", () => {
  expect(statSync(join(ROOT, "src/sandbox/page/emoji.woff2")).size).toBeLessThan(FONT_BYTES_MAX);
});
