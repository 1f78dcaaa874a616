import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBrowser } from "./browser.js";
import { seenCard } from "./one-screen.js";
import { ANNA, BORIS, Visit } from "./visit.js";

const PHONE = { width: 390, height: 844 };
const PHOTO = join(import.meta.dirname, "../../src/sandbox/page/screenshot.png");
/** Screenshots for the eye, where a folder is named. */
const SHOTS = process.env.SCREENSHOTS;
/** What must not stand alone on a line: a currency, a unit, a short word with nothing before it. */
const LONELY = /^(?:₽|МБ|MB|с|s|мин|min|ч|h|фото|photos?|\d+|[·—–-]|\p{L}{1,2})[.,:]?$/u;

let browser: Browser;
let visit: Visit;

beforeAll(async () => {
  browser = await startBrowser();
  if (SHOTS) await mkdir(SHOTS, { recursive: true });
});
afterAll(() => browser.close());
beforeEach(async () => {
  visit = await Visit.begin(browser, PHONE);
});
afterEach(() => visit.end());

const LANGUAGES = [
  {
    person: ANNA,
    name: "English",
    prompt: "a red fox in deep snow, soft morning light, long shadows of the trees, a quiet forest behind it",
    song: "a slow song about a night train, guitar and double bass",
    lyrics: "The night train rolls along the river\nand nobody knows my name",
    words: {
      pay: /^✅ Generate/,
      more: "⚙️ More",
      quality: /^Quality/,
      mode: /^Mode: /,
      lyrics: /^lyrics/,
      vocals: /^Vocals/,
      style: /^Style: /,
      wantsStyle: "Choose a style, or describe your own",
      jazz: /^jazz/,
      quoted: "Lyrics:",
      noPhotos: "Music needs no photos",
    },
  },
  {
    person: BORIS,
    name: "Russian",
    prompt: "рыжая лиса в глубоком снегу, мягкий утренний свет, длинные тени деревьев, тихий лес за ней",
    song: "тихая песня о ночном поезде, гитара и контрабас",
    lyrics: "Ночной поезд идёт вдоль реки\nи никто не знает, как меня зовут",
    words: {
      pay: /^✅ Создать/,
      more: "⚙️ Ещё",
      quality: /^Качество/,
      mode: /^Режим: /,
      lyrics: /^по тексту/,
      vocals: /^Вокал/,
      style: /^Стиль: /,
      wantsStyle: "Выберите стиль или опишите свой",
      jazz: /^джаз/,
      quoted: "Текст песни:",
      noPhotos: "Для музыки фото не нужны",
    },
  },
];

describe.each(LANGUAGES)("on a phone, in $name", ({ person, name, prompt, song, lyrics, words }) => {
  /** The newest message with this button, as it is drawn. */
  async function look(button: RegExp | string, shot: string) {
    const label = visit.chat(person).locator("button[data-callback]", { hasText: button });
    await label.last().waitFor();
    const message = label.last().locator("xpath=ancestor::article");
    await visit.scroller(person).evaluate((element) => element.scrollTo(0, element.scrollHeight));
    if (SHOTS) await visit.shot(join(SHOTS, `${shot}-${name.slice(0, 2).toLowerCase()}.png`));
    const seen = await seenCard(message);
    expect(seen.outsidePx, `${shot} fits one screen`).toBeLessThanOrEqual(0);
    expect(seen.cutLabels, `${shot}: every label is whole`).toEqual([]);
    expect(
      seen.lines.filter((line) => LONELY.test(line)),
      `${shot}: nothing stands alone on a line`,
    ).toEqual([]);
    return seen;
  }

  /** A card that can be paid: its paying button is the last one, and none is wider. */
  async function lookAtCard(shot: string) {
    const seen = await look(words.pay, shot);
    expect(seen.labels.at(-1), `${shot} ends with the paying button`).toMatch(words.pay);
    expect(seen.widths.at(-1)).toBe(Math.max(...seen.widths));
    expect(seen.labels.length, `${shot} has few buttons`).toBeLessThanOrEqual(11);
    return seen;
  }

  test("the cards of an image fit one screen, with the pay button last", async () => {
    await visit.lookAs(person);
    await visit.start(person);
    await visit.say(person, "/image");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/GPT Image 2\.5/, "image-list");
    await visit.press(person, /GPT Image 2\.5/);
    await look(words.quality, "image-empty");
    await visit.say(person, prompt);
    await lookAtCard("image-card");
    await visit.press(person, words.quality);
    const { labels } = await look(/4K/, "image-quality");
    expect(labels.filter((label) => /\u00a0₽$/.test(label))).toHaveLength(3);
  });

  test("the cards of a video fit one screen, with the pay button last", async () => {
    await visit.lookAs(person);
    await visit.start(person);
    await visit.say(person, "/video");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/Veo 3\.1/, "video-list");
    await visit.press(person, /^• Veo 3\.1/);
    await visit.say(person, prompt);
    await lookAtCard("video-text");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    await visit.button(person, /🖼$/).waitFor();
    await lookAtCard("video-frames");
    await visit.press(person, words.more);
    await look(words.mode, "video-more");
  });

  test("the cards of a track fit one screen, with the pay button last", async () => {
    await visit.lookAs(person);
    await visit.start(person);
    await visit.say(person, "/music");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/Suno V5/, "music-list");
    await visit.press(person, /^• Suno V5/);
    await visit.say(person, song);
    await lookAtCard("music-description");
    await visit.press(person, words.more);
    await look(/^‹/, "music-more");
    await visit.press(person, /^‹/);
    await visit.press(person, words.mode);
    await visit.press(person, words.lyrics);
    await visit.see(person, words.wantsStyle);
    await visit.say(person, lyrics);
    await visit.see(person, words.quoted);
    await visit.press(person, words.style);
    await visit.press(person, words.jazz);
    await lookAtCard("music-lyrics");
    await visit.press(person, words.vocals);
    await lookAtCard("music-unsung");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    // The greeting has a button of videos too.
    await visit.see(person, words.noPhotos);
    await lookAtCard("music-photo");
  });
});
