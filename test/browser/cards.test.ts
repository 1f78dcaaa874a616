import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestService, type TestService, TOKEN } from "../support/service.js";
import { startBrowser } from "./browser.js";
import { seenCard } from "./one-screen.js";
import { Visit } from "./visit.js";

const PHONES = [
  { width: 390, height: 844 },
  { width: 320, height: 700 },
];
const PHOTO = join(import.meta.dirname, "../../packages/telegram-sandbox/src/page/screenshot.png");
/** Screenshots for the eye, where a folder is named. */
const SHOTS = process.env.SCREENSHOTS;
/** What must not stand alone on a line: a currency, a unit, a short word with nothing before it. */
const LONELY = /^(?:₽|МБ|MB|с|s|мин|min|ч|h|фото|photos?|\d+|[·—–-]|\p{L}{1,2})[.,:]?$/u;

/** One for each test of a phone and a language, who share a service. */
const PEOPLE = [201, 202, 203, 204];

let browser: Browser;
let service: TestService;
let visit: Visit;
let person = 0;

beforeAll(async () => {
  browser = await startBrowser();
  if (SHOTS) await mkdir(SHOTS, { recursive: true });
});
afterAll(() => browser.close());

const LANGUAGES = [
  {
    code: "en",
    name: "English",
    prompt: "a red fox in deep snow, soft morning light, long shadows of the trees, a quiet forest behind it",
    song: "a slow song about a night train, guitar and double bass",
    lyrics: "The night train rolls along the river\nand nobody knows my name\nuntil the morning comes",
    words: {
      pay: /^✅ Generate/,
      more: "⚙️ More",
      quality: /^Quality/,
      mode: /^Mode: /,
      fast: /fast · /,
      sound: /^Sound/,
      on: /yes · /,
      length: /^Length/,
      longest: /30.s · /u,
      mine: "📝 My lyrics",
      undo: "↩️ Not lyrics",
      vocals: /^🎤 Vocals/,
      style: /^Style: /,
      jazz: /^jazz/,
      quoted: "Lyrics:",
      asksWords: "What are the lyrics?",
      poor: "🔄 Refresh",
      noPhotos: "Music needs no photos",
    },
  },
  {
    code: "ru",
    name: "Russian",
    prompt: "рыжая лиса в глубоком снегу, мягкий утренний свет, длинные тени деревьев, тихий лес за ней",
    song: "тихая песня о ночном поезде, гитара и контрабас",
    lyrics: "Ночной поезд идёт вдоль реки\nи никто не знает, как меня зовут,\nпока не наступит утро",
    words: {
      pay: /^✅ Создать/,
      more: "⚙️ Ещё",
      quality: /^Качество/,
      mode: /^Режим: /,
      fast: /быстрый · /,
      sound: /^Звук/,
      on: /да · /,
      length: /^Длина/,
      longest: /30.с · /u,
      mine: "📝 Мои слова",
      undo: "↩️ Это описание",
      vocals: /^🎤 Вокал/,
      style: /^Стиль: /,
      jazz: /^джаз/,
      quoted: "Слова песни:",
      asksWords: "Какие слова у песни?",
      poor: "🔄 Обновить",
      noPhotos: "Для музыки фото не нужны",
    },
  },
];

const CASES = PHONES.flatMap((phone) => LANGUAGES.map((one) => ({ ...one, phone, width: phone.width })));

describe.each(CASES)("at $width px, in $name", ({ code, name, phone, prompt, song, lyrics, words }) => {
  const fresh = [...PEOPLE];

  beforeAll(async () => {
    const people = PEOPLE.map((id) => ({ id, first_name: `P${id}`, language_code: code }));
    const sandbox = await createSandbox({ token: TOKEN, people });
    service = await startTestService({ sandbox, environment: { WELCOME_CREDIT_RUB: "300" } });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    person = fresh.shift() ?? 0;
    visit = await Visit.at(service.sandbox.url, browser, phone);
    await visit.lookAs(person);
    await visit.start(person);
  });
  afterEach(() => visit.end());

  /** The newest message with this button, as it is drawn. */
  async function look(button: RegExp | string, shot: string) {
    const label = visit.chat(person).locator("button[data-callback]", { hasText: button });
    await label.last().waitFor();
    const message = label.last().locator("xpath=ancestor::article");
    const outsidePx = async () => {
      await visit.scroller(person).evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return (await seenCard(message)).outsidePx;
    };
    // The card that it replaces may leave a moment later.
    if (phone.width > 320)
      await expect.poll(outsidePx, { message: `${shot} fits one screen` }).toBeLessThanOrEqual(0);
    else await outsidePx();
    const file = `${shot}-${name.slice(0, 2).toLowerCase()}-${phone.width}.png`;
    if (SHOTS) await visit.shot(join(SHOTS, file));
    const seen = await seenCard(message);
    // At 320 px Telegram cuts a long name of a model in a list.
    if (phone.width > 320 || !shot.endsWith("-list"))
      expect(seen.cutLabels, `${shot}: every label is whole`).toEqual([]);
    expect(
      seen.lines.filter((line) => LONELY.test(line)),
      `${shot}: nothing stands alone on a line`,
    ).toEqual([]);
    return seen;
  }

  /** A card that can be paid: its paying button is the last one, alone in its style, and none is wider. */
  async function lookAtCard(shot: string) {
    const seen = await look(words.pay, shot);
    expect(seen.labels.at(-1), `${shot} ends with the paying button`).toMatch(words.pay);
    expect(seen.widths.at(-1)).toBe(Math.max(...seen.widths));
    expect(seen.labels.length, `${shot} has few buttons`).toBeLessThanOrEqual(
      shot.startsWith("music") ? 10 : 7,
    );
    expect(seen.paying, `${shot} has one paying button`).toEqual([seen.labels.at(-1)]);
    return seen;
  }

  /** Opens the card of a model from the list. */
  async function choose(title: RegExp): Promise<void> {
    await visit.press(person, title);
  }

  test("the cards of an image fit one screen, with the pay button last", async () => {
    await visit.say(person, "/image");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/GPT Image 2\.5/, "image-list");
    await choose(/GPT Image 2\.5/);
    await look(words.quality, "image-empty");
    await visit.say(person, prompt);
    await lookAtCard("image-card");
    await visit.press(person, words.quality);
    const { labels } = await look(/4K/, "image-quality");
    expect(labels.filter((label) => /\u00a0₽$/.test(label))).toHaveLength(3);
    await visit.press(person, /^‹/);
    await visit.press(person, words.more);
    await look(words.mode, "image-more");
  });

  test("the cards of a video fit one screen, with the pay button last", async () => {
    await visit.say(person, "/video");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/Kling 4\.0/, "video-list");
    await choose(/^Kling 4\.0/);
    await look(words.quality, "video-empty");
    await visit.say(person, prompt);
    await lookAtCard("video-text");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    await visit.see(person, /🖼 (?:1.photo|Приложено)|✂️/u);
    await lookAtCard("video-frames");
    await visit.press(person, words.more);
    await look(words.mode, "video-more");
    await visit.press(person, words.mode);
    await look(words.fast, "video-mode");
    await visit.press(person, words.fast);
    await visit.press(person, words.sound);
    await visit.press(person, words.on);
    // The page of values has a button back, too.
    await visit.button(person, /^(?:Sound: yes|Звук: да)/).waitFor();
    await visit.press(person, /^‹/);
    await lookAtCard("video-changed");
    await visit.press(person, words.length);
    await look(words.longest, "video-length");
    await visit.press(person, words.longest);
    const { labels } = await look(words.poor, "video-poor");
    expect(labels.filter((label) => words.pay.test(label))).toEqual([]);
  });

  test("the cards of a track fit one screen, with the pay button last", async () => {
    await visit.say(person, "/music");
    await visit.press(person, /^🎨 (?:Model|Модель)$/);
    await look(/Suno V6/, "music-list");
    await choose(/^ElevenLabs/);
    await look(words.mine, "music-empty");
    await visit.say(person, song);
    await lookAtCard("music-description");
    await visit.press(person, words.length);
    await look(/^3/, "music-length");
    await visit.press(person, /^‹/);
    await visit.press(person, words.more);
    await look(/^‹/, "music-more");
    await visit.press(person, /^‹/);
    await visit.press(person, words.mine);
    await visit.see(person, words.asksWords);
    await look(/^‹/, "music-asks");
    await visit.say(person, lyrics);
    await visit.see(person, words.quoted);
    await lookAtCard("music-lyrics");
    await visit.press(person, words.style);
    await look(words.jazz, "music-styles");
    await visit.press(person, words.jazz);
    await visit.press(person, words.vocals);
    await visit.see(person, /⚠️/u);
    await lookAtCard("music-unsung");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    // The greeting has a button of videos too.
    await visit.see(person, words.noPhotos);
    await lookAtCard("music-photo");
  });

  test("a song from own words takes five actions", async () => {
    await visit.say(person, "/music");
    await visit.button(person, words.mine).waitFor();
    await visit.say(person, lyrics);
    await visit.see(person, words.quoted);
    const { labels } = await lookAtCard("music-taken");
    expect(labels).toContain(words.undo);
    await visit.press(person, words.pay);
    await visit.see(person, /Composing|Сочиняю|(?<!\d)0:01/u);
    expect(visit.actions.length, visit.actions.join(", ")).toBeLessThanOrEqual(5);
  });
});
