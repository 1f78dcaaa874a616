import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openBrowser } from "./browser.js";
import { SandboxPage } from "./sandbox-page.js";

const ROOT = join(import.meta.dirname, "../..");
const COLUMNS = 20;
const CELL_PX = 48;
/** A code point that no font has: it shows what an absent glyph looks like. */
const ABSENT = "\u{10fffd}";

const browser = openBrowser();

/** Every emoji of the words that users read, and of the page's stickers. */
function emojiInUse(): string[] {
  const files = ["locales/en.ftl", "locales/ru.ftl", "packages/telegram-sandbox/src/page/composer.ts"];
  const words = files.map((path) => readFileSync(join(ROOT, path), "utf8")).join("");
  return [...new Set(words.match(/\p{Regional_Indicator}{2}|\p{Extended_Pictographic}\ufe0f?/gu))];
}

/** What a browser draws for each text in the page's own font, as the pixels of a cell. */
async function drawn(page: Page, texts: readonly string[]): Promise<string[]> {
  await page.locator("body").evaluate(
    async (body, [columns, cell, ...texts]) => {
      const style = `font:36px/${cell}px 'Atelier Emoji';text-align:center;overflow:hidden`;
      const cells = texts.map((text) => `<span style="${style}">${text}</span>`).join("");
      const grid = `grid-template:none/repeat(${columns},${cell}px);grid-auto-rows:${cell}px`;
      body.innerHTML = `<div style="position:fixed;inset:0;background:#fff;display:grid;${grid}">${cells}</div>`;
      const { fonts } = body.ownerDocument;
      await fonts.load("36px 'Atelier Emoji'", texts.join(""));
      await fonts.ready;
    },
    [String(COLUMNS), String(CELL_PX), ...texts],
  );
  const image = await loadImage(await page.screenshot());
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return texts.map((_, index) => {
    const place = [(index % COLUMNS) * CELL_PX, Math.floor(index / COLUMNS) * CELL_PX] as const;
    return context.getImageData(...place, CELL_PX, CELL_PX).data.join();
  });
}

/** How many colours there are in pixels as `drawn` gives them. */
function colours(pixels: string): number {
  return new Set(pixels.match(/\d+,\d+,\d+,\d+/g)).size;
}

test("every emoji of the locales and stickers is drawn in colour without a system emoji font", async () => {
  const view = await SandboxPage.open(browser());
  const emoji = emojiInUse();
  expect(emoji.length).toBeGreaterThan(10);
  const [absent, ...cells] = await drawn(view.page, [ABSENT, "🎬", ...emoji]);
  const [clapper = ""] = cells.splice(0, 1);
  expect(colours(clapper)).toBeGreaterThan(60);
  const missing = emoji.filter((_, index) => cells[index] === absent || colours(cells[index] ?? "") < 5);
  expect(missing).toEqual([]);
});
