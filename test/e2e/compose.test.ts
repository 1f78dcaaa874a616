import { beforeEach, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { CLIP, COVER_SIDE } from "../support/results.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
});

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
const firstTask = () => eventually("a task of the provider", () => service.provider.tasks[0]);

/** The words of the cards in Russian. */
const WORDS = {
  generate: "Создать",
  mine: "Мои слова",
  style: "Стиль",
  jazz: "джаз",
  weight: "Сила стиля",
  title: "Название",
  instrumental: "Вокал: есть",
  instrumentalOn: "Вокал: нет",
  wantsLyrics: "Какие слова у песни?",
  lyricsTooShort: "Слова песни: нужно хотя бы 20\u00a0символов.",
  titleTooLong: "Название\u00a0— не длиннее 120\u00a0символов.",
  anyStyle: "Стиль: любой",
  musicPrice: "Suno V6 · 25\u00a0₽",
  more: "Ещё",
  medium: "средне",
  unsung: "не прозвучат",
  whichMusic: "Какая модель напишет песню?",
};

const has = ({ text = "" }: { text?: string }, words: string) => text.includes(words);

test("in Russian /music: lyrics, a style, a title and a typed weight reach the provider, and its tracks come as an album", async () => {
  const one = chatter(BORIS.id);
  one.say("/music");
  await one.press("🎨");
  await one.see((message) => has(message, WORDS.whichMusic) && has(message, WORDS.musicPrice));
  await one.press("• Suno V6");
  await one.press(WORDS.mine);
  await one.see(WORDS.wantsLyrics);
  one.say("too short");
  await one.see(WORDS.lyricsTooShort);
  const song = "I walked along the river\nand the river walked with me";
  one.say(song);
  const unstyled = await one.seeButton(WORDS.anyStyle, "walked along");
  expect(labelsOf(unstyled).some((label) => label.startsWith("✅"))).toBe(true);
  await one.press(new RegExp(`^${WORDS.style}:`), "walked along");
  await one.press(WORDS.jazz);
  await one.press(WORDS.more);
  await one.press(WORDS.title);
  await one.see("120");
  one.say("River ".repeat(30));
  await one.see(WORDS.titleTooLong);
  one.say("River / <road>");
  await one.press(WORDS.more, "River / <road>");
  await one.press(`${WORDS.weight}: ${WORDS.medium}`, "River / <road>");
  await one.see(/0 (to|до) 1/);
  one.say("1,5");
  await one.see((message) => message.reply_markup === undefined && /0 (to|до) 1/.test(message.text ?? ""));
  one.say("0,5");
  await one.see(new RegExp(`${WORDS.weight}: 0[.,]5$`, "m"));
  await one.press(WORDS.instrumental, "0");
  await one.seeButton(WORDS.instrumentalOn, WORDS.unsung);
  await one.press(`✅ ${WORDS.generate} · 25\u00a0₽`, "River / <road>");
  const { request } = await firstTask();
  expect(request).toEqual({
    type: "music",
    model_key: "music:suno-v6",
    mode: "lyrics",
    title: "River / <road>",
    lyrics: song,
    style_preset_id: "jazz",
    make_instrumental: true,
    style_weight: 0.5,
    weirdness_constraint: 0.65,
    audio_weight: 0.65,
  });
  expect(service.balanceOf(BORIS.id)).toBe(975);

  const summary = await one.see("✅ 2 трека");
  expect(labelsOf(summary)).toEqual([
    "🎲 Ещё вариант · 25\u00a0₽",
    "⚙️ Повторить иначе",
    "🎸 Другой стиль",
    "📄 Скачать файлами",
  ]);
  const tracks = one.heard().filter(({ audio }) => audio !== undefined);
  const thumbnail = { width: COVER_SIDE, height: COVER_SIDE };
  const about = { performer: "Suno V6", thumbnail, mime_type: "audio/mpeg" };
  expect(tracks.map(({ audio }) => audio)).toMatchObject([
    { ...about, title: "1. River / <road>", duration: 1, file_name: "River road.mp3" },
    { ...about, title: "2. River / <road>", duration: 2, file_name: "River road-2.mp3" },
  ]);
  expect(new Set(tracks.map(({ media_group_id }) => media_group_id)).size).toBe(1);
  expect(tracks.map(({ caption }) => caption)).toEqual([
    undefined,
    "River / <road>\n\nSuno V6 · 25\u00a0₽ · баланс\u00a0975\u00a0₽",
  ]);
});

test("a video arrives streamable, with its dimensions, duration, caption and buttons", async () => {
  const ann = chatter(ANN.id);
  ann.say("/video a train <in> the snow");
  await ann.press("✅ Generate · 44\u00a0₽");
  const message = await ann.see(({ video }) => video !== undefined);
  const { width, height, durationSec: duration } = CLIP;
  const { params } = await service.sandbox.waitForCall("sendVideo");
  expect(params).toMatchObject({ supports_streaming: true, width, height, duration });
  expect(message.video).toMatchObject({ width, height, duration, file_name: "atelier-1.mp4" });
  expect(message.caption).toContain("a train <in> the snow\n\nVeo 3.1 · 44\u00a0₽ · balance\u00a0956\u00a0₽");
  expect(labelsOf(message)).toEqual(["🎲 Another take · 44\u00a0₽", "⚙️ Adjust", "📄 As a file"]);
});
