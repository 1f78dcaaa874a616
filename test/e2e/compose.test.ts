import { beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
  // What becomes of the order is not looked at here.
  service.provider.holds = true;
});

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
const firstTask = () => eventually("a task of the provider", () => service.provider.tasks[0]);

/** The words of the cards in Russian. */
const WORDS = {
  size: "Качество",
  length: "Длина: 4\u00a0с",
  six: "6\u00a0с",
  sound: "Звук: нет",
  soundOn: "Звук: да",
  speed: "Режим",
  fast: "быстрый",
  generate: "Создать",
  mine: "Мои слова",
  style: "Стиль",
  jazz: "джаз",
  weight: "Сила стиля",
  title: "Название",
  instrumental: "Вокал: есть",
  instrumentalOn: "Вокал: нет",
  back: "Назад",
  wantsLyrics: "Какие слова у песни?",
  lyricsTooShort: "Слова песни: нужно хотя бы 20\u00a0символов.",
  titleTooLong: "Название\u00a0— не длиннее 120\u00a0символов.",
  anyStyle: "Стиль: любой",
  videoPrice: "Veo 3.1 · от\u00a027\u00a0₽",
  musicPrice: "Suno V6 · 25\u00a0₽",
  more: "Ещё",
  medium: "средне",
  soundYes: /^да · 126\u00a0₽$/,
  unsung: "не прозвучат",
  whichVideo: "Какая модель снимет видео?",
  whichMusic: "Какая модель напишет песню?",
};

const has = ({ text = "" }: { text?: string }, words: string) => text.includes(words);

describe("in Russian", () => {
  test("/video: the settings of taps and texts reach the provider, at the shown price", async () => {
    const one = chatter(BORIS.id);
    one.say("/video");
    await one.press("🎨");
    await one.see((message) => has(message, WORDS.whichVideo) && has(message, WORDS.videoPrice));
    await one.press("• Veo 3.1");
    await one.press(WORDS.size);
    await one.press(/^1080p · 56\u00a0₽$/);
    await one.press(WORDS.length);
    await one.press(`${WORDS.six} · 84\u00a0₽`);
    await one.press(WORDS.more);
    await one.press(WORDS.sound);
    await one.press(WORDS.soundYes);
    await one.seeButton(WORDS.soundOn);
    await one.press(WORDS.speed);
    await one.press(WORDS.fast);
    await one.seeButton(new RegExp(`${WORDS.speed}: ${WORDS.fast}`));
    await one.press(WORDS.back);
    const unwritten = await one.seeButton(WORDS.size, `${WORDS.speed}: ${WORDS.fast} · ${WORDS.soundOn}`);
    expect(labelsOf(unwritten).some((label) => label.startsWith("✅"))).toBe(false);
    one.say("a fox runs through snow");
    // 84\u00a0₽ for 6 s of 1080p, half as much again with sound, 0.6 of it in fast mode, rounded up.
    await one.press(`✅ ${WORDS.generate} · 76\u00a0₽`);
    const { request } = await firstTask();
    expect(request).toEqual({
      type: "video",
      model_key: "veo-3-1",
      prompt: "a fox runs through snow",
      aspect_ratio: "16:9",
      resolution: "1080p",
      duration_sec: 6,
      video_input_mode: "text",
      video_speed_mode: "fast",
      sound: true,
    });
    expect(service.balanceOf(BORIS.id)).toBe(1000 - 76);
  });

  test("/music: lyrics, a style, a title and a typed weight reach the provider", async () => {
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
    one.say("River <road>");
    await one.press(WORDS.more, "River <road>");
    await one.press(`${WORDS.weight}: ${WORDS.medium}`, "River <road>");
    await one.see(/0 (to|до) 1/);
    one.say("1,5");
    await one.see((message) => message.reply_markup === undefined && /0 (to|до) 1/.test(message.text ?? ""));
    one.say("0,5");
    await one.see(new RegExp(`${WORDS.weight}: 0[.,]5$`, "m"));
    await one.press(WORDS.instrumental, "0");
    await one.seeButton(WORDS.instrumentalOn, WORDS.unsung);
    await one.press(`✅ ${WORDS.generate} · 25\u00a0₽`, "River <road>");
    const { request } = await firstTask();
    expect(request).toEqual({
      type: "music",
      model_key: "music:suno-v6",
      mode: "lyrics",
      title: "River <road>",
      lyrics: song,
      style_preset_id: "jazz",
      make_instrumental: true,
      style_weight: 0.5,
      weirdness_constraint: 0.65,
      audio_weight: 0.65,
    });
    expect(service.balanceOf(BORIS.id)).toBe(975);
  });
});

describe("a card", () => {
  test("says that a description is too long for the model, on opening and on a model change", async () => {
    const ann = chatter(ANN.id);
    const long = "a very long street ".repeat(150).trim();
    ann.say(long);
    await ann.press("🎨 Model", "a very long street");
    await ann.press("Z-Image Turbo");
    const card = await ann.see("at most 2,000\u00a0characters");
    expect(labelsOf(card).some((label) => label.startsWith("✅"))).toBe(false);
    ann.say("a short street");
    await ann.press("✅", "a short street");
    expect((await firstTask()).request.model_key).toBe("z-image-turbo");

    ann.say(long);
    const next = await ann.see("at most 2,000\u00a0characters", card.message_id + 1);
    expect(labelsOf(next).some((label) => label.startsWith("✅"))).toBe(false);
  });

  test("of a paid, cancelled or replaced draft explains itself without naming a kind", async () => {
    const ann = chatter(ANN.id);
    ann.say("/music");
    const card = await ann.seeButton("Style");
    const data = card.reply_markup && "inline_keyboard" in card.reply_markup ? card.reply_markup : undefined;
    const [first] = data?.inline_keyboard.flat() ?? [];
    ann.say("/video");
    await ann.see("Veo 3.1");
    const old = await ann.person.tapData(card, first?.callback_data ?? "").answered();
    expect(old.text).toContain("newer card");
  });
});
