import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBrowser } from "./browser.js";
import { ANNA, BORIS, seesPicture, Visit } from "./visit.js";

const PHONE = { width: 390, height: 844 };
const RESULT_MS = 60_000;

let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A newcomer to whom nothing is known but what the chat shows. */
describe.each([
  {
    name: "English",
    person: ANNA,
    image: "🖼 Image",
    pay: /^✅ Generate/,
    again: /^🎲 Another take/,
    prompt: "a lighthouse on a cliff above a stormy sea",
  },
  {
    name: "Russian",
    person: BORIS,
    image: "🖼 Картинка",
    pay: /^✅ Создать/,
    again: /^🎲 Ещё вариант/,
    prompt: "маяк на скале над бурным морем",
  },
])("from an empty chat, in $name", ({ person, image, pay, again, prompt }) => {
  beforeEach(async () => {
    visit = await Visit.begin(browser, PHONE);
    await visit.lookAs(person);
  });
  afterEach(() => visit.end());

  test("a picture by button takes at most four actions", async () => {
    await visit.start(person);
    const examples = await visit.chat(person).locator("img.photo").count();
    await visit.press(person, image);
    await visit.button(person, "🎨").waitFor();
    await visit.say(person, prompt);
    await visit.press(person, pay);
    await visit.button(person, again).waitFor({ timeout: RESULT_MS });
    const pictures = visit.chat(person).locator("img.photo");
    await expect.poll(() => pictures.count()).toBe(examples + 1);
    await seesPicture(pictures.last(), RESULT_MS);
    expect(visit.actions.length, visit.actions.join(", ")).toBeLessThanOrEqual(4);
  });
});
