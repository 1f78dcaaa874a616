import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox } from "@atelier/telegram-sandbox";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTestService, type TestService, TOKEN } from "../support/service.js";
import { openBrowser } from "./browser.js";
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

/** One for each test of a phone, who share a service. */
const PEOPLE = [201, 202, 203, 204];

const browser = openBrowser();
let service: TestService;
let visit: Visit;
let person = 0;

beforeAll(async () => {
  if (SHOTS) await mkdir(SHOTS, { recursive: true });
});

const PROMPT = "рыжая лиса в глубоком снегу, мягкий утренний свет, длинные тени деревьев, тихий лес за ней";
const SONG = "тихая песня о ночном поезде, гитара и контрабас";
const LYRICS = "Ночной поезд идёт вдоль реки\nи никто не знает, как меня зовут,\nпока не наступит утро";
const PAY = /^✅ Создать/;
const MODEL = "🎨 Модель";
const MORE = "⚙️ Ещё";
const QUALITY = /^Качество/;
const MODE = /^Режим: /;
const FAST = /быстрый · /;
const LENGTH = /^Длина/;
const LONGEST = /30.с · /u;
const MINE = "📝 Мои слова";
const STYLE = /^Стиль: /;

describe.each(PHONES)("at $width px, in Russian, whose words are the longer ones", (phone) => {
  const fresh = [...PEOPLE];

  beforeAll(async () => {
    const people = PEOPLE.map((id) => ({ id, first_name: `P${id}`, language_code: "ru" }));
    const sandbox = await createSandbox({ token: TOKEN, people });
    service = await openTestService({ sandbox, environment: { WELCOME_CREDIT_RUB: "300" } });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    person = fresh.shift() ?? 0;
    visit = await Visit.at(service.sandbox.url, browser(), phone);
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
    if (SHOTS) await visit.shot(join(SHOTS, `${shot}-${phone.width}.png`));
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
    const seen = await look(PAY, shot);
    expect(seen.labels.at(-1), `${shot} ends with the paying button`).toMatch(PAY);
    expect(seen.widths.at(-1)).toBe(Math.max(...seen.widths));
    expect(seen.labels.length, `${shot} has few buttons`).toBeLessThanOrEqual(
      shot.startsWith("music") ? 10 : 7,
    );
    expect(seen.paying, `${shot} has one paying button`).toEqual([seen.labels.at(-1)]);
    return seen;
  }

  test("the cards of an image fit one screen, with the pay button last", async () => {
    await visit.say(person, "/image");
    await visit.press(person, MODEL);
    await look(/GPT Image 2\.5/, "image-list");
    await visit.press(person, /GPT Image 2\.5/);
    await look(QUALITY, "image-empty");
    await visit.say(person, PROMPT);
    await lookAtCard("image-card");
    await visit.press(person, QUALITY);
    const { labels } = await look(/4K/, "image-quality");
    expect(labels.filter((label) => /\u00a0₽$/.test(label))).toHaveLength(3);
    await visit.press(person, /^‹/);
    await visit.press(person, MORE);
    await look(MODE, "image-more");
  });

  test("the cards of a video fit one screen, with the pay button last", async () => {
    await visit.say(person, "/video");
    await visit.press(person, MODEL);
    await look(/Kling 4\.0/, "video-list");
    await visit.press(person, /^Kling 4\.0/);
    await look(QUALITY, "video-empty");
    await visit.say(person, PROMPT);
    await lookAtCard("video-text");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    await visit.see(person, /🖼 Приложено|✂️/u);
    await lookAtCard("video-frames");
    await visit.press(person, MORE);
    await look(MODE, "video-more");
    await visit.press(person, MODE);
    await look(FAST, "video-mode");
    await visit.press(person, FAST);
    await visit.press(person, /^Звук/);
    await visit.press(person, /да · /);
    // The page of values has a button back, too.
    await visit.button(person, /^Звук: да/).waitFor();
    await visit.press(person, /^‹/);
    await lookAtCard("video-changed");
    await visit.press(person, LENGTH);
    await look(LONGEST, "video-length");
    await visit.press(person, LONGEST);
    const { labels } = await look("🔄 Обновить", "video-poor");
    expect(labels.filter((label) => PAY.test(label))).toEqual([]);
  });

  test("the cards of a track fit one screen, with the pay button last", async () => {
    await visit.say(person, "/music");
    await visit.press(person, MODEL);
    await look(/Suno V6/, "music-list");
    await visit.press(person, /^ElevenLabs/);
    await look(MINE, "music-empty");
    await visit.say(person, SONG);
    await lookAtCard("music-description");
    await visit.press(person, LENGTH);
    await look(/^3/, "music-length");
    await visit.press(person, /^‹/);
    await visit.press(person, MORE);
    await look(/^‹/, "music-more");
    await visit.press(person, /^‹/);
    await visit.press(person, MINE);
    await visit.see(person, "Какие слова у песни?");
    await look(/^‹/, "music-asks");
    await visit.say(person, LYRICS);
    await visit.see(person, "Слова песни:");
    await lookAtCard("music-lyrics");
    await visit.press(person, STYLE);
    await look(/^джаз/, "music-styles");
    await visit.press(person, /^джаз/);
    await visit.press(person, /^🎤 Вокал/);
    await visit.see(person, /⚠️/u);
    await lookAtCard("music-unsung");
    const photo = { name: "me.png", mimeType: "image/png", buffer: await readFile(PHOTO) };
    await visit.attach(person, photo);
    // The greeting has a button of videos too.
    await visit.see(person, "Для музыки фото не нужны");
    await lookAtCard("music-photo");
  });

  test("a song from own words takes five actions", async () => {
    await visit.say(person, "/music");
    await visit.button(person, MINE).waitFor();
    await visit.say(person, LYRICS);
    await visit.see(person, "Слова песни:");
    const { labels } = await lookAtCard("music-taken");
    expect(labels).toContain("↩️ Это описание");
    await visit.press(person, PAY);
    await visit.see(person, /Сочиняю|(?<!\d)0:01/u);
    expect(visit.actions.length, visit.actions.join(", ")).toBeLessThanOrEqual(5);
  });
});
