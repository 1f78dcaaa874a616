import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "./browser.js";
import { ANNA, BORIS, seesPicture, Visit } from "./visit.js";

/** What is promised from opening the page to the first picture, in ms. */
const FIRST_PICTURE_MS = 60_000;
const RESULT_MS = 60_000;

const browser = openBrowser();
let visit: Visit;

beforeAll(async () => {
  visit = await Visit.begin(browser());
});
afterAll(async () => {
  await visit.end();
});

test("a person gets from /start to a visible picture within a minute, by typing and tapping only", async () => {
  const begun = Date.now();
  await visit.start(ANNA);
  await visit.see(ANNA, "I make images, videos and music");
  await visit.say(ANNA, "/image");
  await visit.press(ANNA, /^Ratio/);
  await visit.press(ANNA, /^16:9/);
  await visit.button(ANNA, /Ratio: 16:9/).waitFor();
  await visit.say(ANNA, "a lighthouse on a cliff above a stormy sea at sunset");
  await visit.press(ANNA, /^✅ Generate · 10\u00a0₽/);
  await visit.see(ANNA, "balance\u00a0290\u00a0₽");
  await seesPicture(visit.chat(ANNA).locator("img.photo").last(), FIRST_PICTURE_MS);
  expect(Date.now() - begun).toBeLessThan(FIRST_PICTURE_MS);
  await visit.press(ANNA, /As a file/);
  await visit.chat(ANNA).getByTestId("document").waitFor();
});

test("from an empty chat a picture by button takes at most four actions, in Russian", async () => {
  const before = visit.actions.length;
  await visit.start(BORIS);
  await visit.see(BORIS, "Я создаю картинки, видео и музыку");
  await visit.press(BORIS, "🖼 Картинка");
  await visit.button(BORIS, "🎨").waitFor();
  await visit.say(BORIS, "маяк на скале над бурным морем");
  await visit.press(BORIS, /^✅ Создать/);
  await visit.button(BORIS, /^🎲 Ещё вариант/).waitFor({ timeout: RESULT_MS });
  await seesPicture(visit.chat(BORIS).locator("img.photo").last(), RESULT_MS);
  const actions = visit.actions.slice(before);
  expect(actions.length, actions.join(", ")).toBeLessThanOrEqual(4);
});

test("a command typed in the group gets the bot's name and is answered", async () => {
  const pane = visit.pane(ANNA);
  await pane.getByRole("tab", { name: /Studio/ }).click();
  await visit.say(ANNA, "/image a mill");
  await pane.getByText("/image@atelier_sandbox_bot").waitFor();
  await pane.locator("button[data-callback]:visible", { hasText: /^✅ Generate/ }).waitFor();
});
