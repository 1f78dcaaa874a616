import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startBrowser } from "./browser.js";
import { ANNA, BORIS, numberOf, OLGA, plays, seesPicture, Visit } from "./visit.js";

/** What is promised from opening the page to the first picture, in ms. */
const FIRST_PICTURE_MS = 60_000;
const RESULT_MS = 60_000;
const PHOTO = join(import.meta.dirname, "../../packages/telegram-sandbox/src/page/screenshot.png");

let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  visit = await Visit.begin(browser);
});
afterEach(() => visit.end());

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

test("a Russian speaker gets an album in Russian", async () => {
  await visit.start(BORIS);
  await visit.see(BORIS, "Я создаю картинки, видео и музыку");
  await visit.say(BORIS, "/image");
  await visit.press(BORIS, /^🎨 (?:Model|Модель)$/);
  await visit.press(BORIS, /Nano Banana 2 Lite/);
  await visit.press(BORIS, /^Картинок/);
  await visit.press(BORIS, /^2 · 10/);
  await visit.button(BORIS, /Картинок: 2/).waitFor();
  await visit.say(BORIS, "ночной город под дождём");
  await visit.press(BORIS, /^✅ Создать · 10\u00a0₽/);
  await visit.see(BORIS, "✅ 2 картинки");
  await seesPicture(visit.chat(BORIS).locator("img.photo").last(), RESULT_MS);
  const albums = visit.chat(BORIS).getByTestId("album");
  expect(await albums.count(), "of the examples and of the images that were made").toBe(2);
});

test("a picture from the disk becomes the reference of an image", async () => {
  await visit.start(ANNA);
  await visit.say(ANNA, "/image");
  await visit.press(ANNA, /^🎨 (?:Model|Модель)$/);
  await visit.press(ANNA, /Nano Banana 2 Lite/);
  await visit.button(ANNA, /^Images: 1/).waitFor();
  await visit.attach(ANNA, { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) });
  await visit.button(ANNA, /^Photos: 1/).waitFor();
  await visit.say(ANNA, "the same as a poster of the thirties");
  await visit.press(ANNA, /^✅ Generate · 5\u00a0₽/);
  await visit.see(ANNA, "balance\u00a0295\u00a0₽");
  const pictures = visit.chat(ANNA).locator("img.photo");
  expect(await pictures.count(), "three examples, the photo that was sent and the image that was made").toBe(
    5,
  );
  await seesPicture(pictures.last(), RESULT_MS);
});

test("a video is ordered from its command and plays", async () => {
  await visit.start(ANNA);
  await visit.say(ANNA, "/video");
  await visit.press(ANNA, /More$/);
  await visit.press(ANNA, /^Mode/);
  await visit.press(ANNA, /^fast/);
  await visit.button(ANNA, /^Mode: fast/).waitFor();
  await visit.press(ANNA, /^‹/);
  await visit.say(ANNA, "a paper boat sails down a rainy street");
  await visit.press(ANNA, /^✅ Generate · 27\u00a0₽/);
  const video = visit.chat(ANNA).locator("video.video");
  await video.waitFor({ state: "visible", timeout: RESULT_MS });
  await visit.see(ANNA, "balance\u00a0273\u00a0₽");
  await expect.poll(() => numberOf(video, "duration")).toBeCloseTo(4, 0);
  await visit.chat(ANNA).locator(".duration-badge", { hasText: "0:04" }).waitFor();
  expect(await numberOf(video, "controls"), "nothing covers the picture before it plays").toBe(0);
  await visit.chat(ANNA).getByRole("button", { name: "Play video" }).click();
  await plays(video);
  expect(await numberOf(video, "videoWidth")).toBe(1280);
});

test("a music order from its command gives an album with titles and covers that plays", async () => {
  await visit.start(BORIS);
  await visit.say(BORIS, "/music");
  await visit.press(BORIS, /^🎨 (?:Model|Модель)$/);
  await visit.press(BORIS, /^• Suno V6/);
  await visit.button(BORIS, /^🎤 Вокал: есть/u).waitFor();
  await visit.say(BORIS, "тихая песня о ночном поезде, гитара и контрабас");
  await visit.press(BORIS, /^✅ Создать · 25\u00a0₽/);
  const tracks = visit.chat(BORIS).getByTestId("album").getByTestId("audio");
  await tracks.nth(1).waitFor({ timeout: RESULT_MS });
  expect(await tracks.count()).toBe(2);
  for (const track of await tracks.all()) {
    expect(await track.locator(".track-title").textContent()).toMatch(/поезд/);
    await track.scrollIntoViewIfNeeded();
    await seesPicture(track.locator("img.cover"), RESULT_MS);
  }
  await visit.see(BORIS, "✅ 2 трека");
  await tracks.last().getByRole("button", { name: "Слушать" }).click();
  await plays(tracks.last().locator("audio"));
  await tracks.last().getByRole("button", { name: "Пауза" }).waitFor();
});

test("a command typed in the group gets the bot's name and is answered", async () => {
  await visit.start(ANNA);
  const pane = visit.pane(ANNA);
  await pane.getByRole("tab", { name: /Studio/ }).click();
  await visit.say(ANNA, "/image a mill");
  await pane.getByText("/image@atelier_sandbox_bot").waitFor();
  await pane.locator("button[data-callback]:visible", { hasText: /^✅ Generate/ }).waitFor();
});

test("an admin credits a user, who is notified at once", async () => {
  await visit.start(ANNA);
  await visit.start(OLGA);
  await visit.say(OLGA, "/credit @anna 25.5 for testing");
  await visit.see(OLGA, "25.50\u00a0₽ added to Anna");
  await visit.see(ANNA, "Reason: for testing");
});
