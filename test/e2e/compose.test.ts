import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { toBot } from "../support/group.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
  // What becomes of the order is not looked at here.
  service.provider.holds = true;
});
afterEach(() => service.close());

const chatter = (id: number, chat?: number) => new Chatter(service.sandbox.person(id), chat);
const firstTask = () => eventually("a task of the provider", () => service.provider.tasks[0]);

const LANGUAGES = [
  {
    id: ANN.id,
    name: "English",
    words: {
      size: "Quality",
      length: "Length: 4\u00a0s",
      six: "6\u00a0s",
      sound: "Sound: no",
      soundOn: "Sound: yes",
      speed: "Mode",
      fast: "fast",
      generate: "Generate",
      mine: "My lyrics",
      style: "Style",
      jazz: "jazz",
      weight: "Style strength",
      title: "Title",
      instrumental: "Vocals: on",
      instrumentalOn: "Vocals: off",
      back: "Back",
      wantsLyrics: "What are the lyrics?",
      lyricsTooShort: "Lyrics: at least 20\u00a0characters are needed.",
      titleTooLong: "Title: up to 120\u00a0characters.",
      anyStyle: "Style: any",
      videoPrice: "Veo 3.1 · from\u00a027\u00a0₽",
      musicPrice: "Suno V6 · 25\u00a0₽",
      more: "More",
      medium: "medium",
      soundYes: /^yes · 126\u00a0₽$/,
      unsung: "nobody will sing",
      whichVideo: "Which model for the video?",
      whichMusic: "Which model for the song?",
    },
  },
  {
    id: BORIS.id,
    name: "Russian",
    words: {
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
    },
  },
];

const has = ({ text = "" }: { text?: string }, words: string) => text.includes(words);

describe.each(LANGUAGES)("in $name", ({ id, words }) => {
  test("/video: the settings of taps and texts reach the provider, at the shown price", async () => {
    const one = chatter(id);
    one.say("/video");
    await one.press("🎨");
    await one.see((message) => has(message, words.whichVideo) && has(message, words.videoPrice));
    await one.press("• Veo 3.1");
    await one.press(words.size);
    await one.press(/^1080p · 56\u00a0₽$/);
    await one.press(words.length);
    await one.press(`${words.six} · 84\u00a0₽`);
    await one.press(words.more);
    await one.press(words.sound);
    await one.press(words.soundYes);
    await one.seeButton(words.soundOn);
    await one.press(words.speed);
    await one.press(words.fast);
    await one.seeButton(new RegExp(`${words.speed}: ${words.fast}`));
    await one.press(words.back);
    const unwritten = await one.seeButton(words.size, `${words.speed}: ${words.fast} · ${words.soundOn}`);
    expect(labelsOf(unwritten).some((label) => label.startsWith("✅"))).toBe(false);
    one.say("a fox runs through snow");
    // 84\u00a0₽ for 6 s of 1080p, half as much again with sound, 0.6 of it in fast mode, rounded up.
    await one.press(`✅ ${words.generate} · 76\u00a0₽`);
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
    expect(service.balanceOf(id)).toBe(1000 - 76);
  });

  test("/music: lyrics, a style, a title and a typed weight reach the provider", async () => {
    const one = chatter(id);
    one.say("/music");
    await one.press("🎨");
    await one.see((message) => has(message, words.whichMusic) && has(message, words.musicPrice));
    await one.press("• Suno V6");
    await one.press(words.mine);
    await one.see(words.wantsLyrics);
    one.say("too short");
    await one.see(words.lyricsTooShort);
    const song = "I walked along the river\nand the river walked with me";
    one.say(song);
    const unstyled = await one.seeButton(words.anyStyle, "walked along");
    expect(labelsOf(unstyled).some((label) => label.startsWith("✅"))).toBe(true);
    await one.press(new RegExp(`^${words.style}:`), "walked along");
    await one.press(words.jazz);
    await one.press(words.more);
    await one.press(words.title);
    await one.see("120");
    one.say("River ".repeat(30));
    await one.see(words.titleTooLong);
    one.say("River <road>");
    await one.press(words.more, "River <road>");
    await one.press(`${words.weight}: ${words.medium}`, "River <road>");
    await one.see(/0 (to|до) 1/);
    one.say("1,5");
    await one.see((message) => message.reply_markup === undefined && /0 (to|до) 1/.test(message.text ?? ""));
    one.say("0,5");
    await one.see(new RegExp(`${words.weight}: 0[.,]5$`, "m"));
    await one.press(words.instrumental, "0");
    await one.seeButton(words.instrumentalOn, words.unsung);
    await one.press(`✅ ${words.generate} · 25\u00a0₽`, "River <road>");
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
    expect(service.balanceOf(id)).toBe(975);
  });
});

describe("a card", () => {
  test("of music takes the next text as the description, also from the command", async () => {
    const ann = chatter(ANN.id);
    ann.say("/music rain");
    await ann.choose("MiniMax Music");
    const short = await ann.see("at least 8\u00a0characters");
    expect(labelsOf(short).some((label) => label.startsWith("✅"))).toBe(false);
    ann.say("rain on a tin roof, slow piano");
    await ann.press("✅ Generate · 20\u00a0₽", "slow piano");
    const { request } = await firstTask();
    expect(request).toMatchObject({ mode: "description", description: "rain on a tin roof, slow piano" });
    expect(request).not.toHaveProperty("lyrics");
  });

  test("keeps its settings when the model changes, and takes the rest from the last used ones", async () => {
    const ann = chatter(ANN.id);
    ann.say("/image a fox");
    await ann.choose("Nano Banana Pro");
    await ann.press(/^Quality/);
    await ann.press("2K");
    await ann.press("✅", "Quality: 2K");
    await firstTask();
    ann.say("/image an owl");
    await ann.choose("Nano Banana 2.1", "an owl");
    await ann.press(/^Ratio/, "an owl");
    await ann.press(/16:9/);
    await ann.press(/^Images/, "Ratio: 16:9");
    await ann.press(/^2 · 30/);
    await ann.press("🎨 Model", "Images: 2");
    await ann.press("Nano Banana Pro");
    const card = await ann.seeButton("✅", "Nano Banana Pro");
    expect(labelsOf(card)).toEqual(expect.arrayContaining(["Ratio: 16:9", "Quality: 2K", "Images: 2"]));
    expect(card.text).toContain("an owl");
  });

  test("keeps description and lyrics separate when the mode changes back and forth", async () => {
    const ann = chatter(ANN.id);
    ann.say("/music a waltz about autumn leaves");
    await ann.choose("MiniMax Music");
    await ann.press("My lyrics", "autumn leaves");
    const empty = await ann.see("What are the lyrics?");
    expect(empty.text).not.toContain("autumn leaves");
    ann.say("leaves are falling, one by one by one");
    await ann.press("Describe it", "one by one");
    await ann.press("Back", "autumn leaves");
    await ann.press("✅", "autumn leaves");
    const { request } = await firstTask();
    expect(request.description).toBe("a waltz about autumn leaves");
  });

  test("accepts a typed number only within its bounds", async () => {
    const ann = chatter(ANN.id);
    ann.say("/music a quiet march for two flutes");
    await ann.choose("ElevenLabs Music");
    for (const wrong of ["9", "361", "20.5", "ten", "1e2", "7:00"]) {
      await ann.press(/^Length/);
      const { message_id } = ann.say(wrong);
      await ann.see("from 10\u00a0s to 6\u00a0min", message_id);
      await ann.press("Back");
    }
    await ann.press("Length: 2\u00a0min");
    const page = await ann.seeButton("6\u00a0min");
    const lengths = ["30 s", "1 min", "• 2 min", "3 min", "4 min", "6 min"];
    const shown = labelsOf(page).map((label) => label.replace("\u00a0", " "));
    expect(shown.slice(0, -1), "lengths of songs to pick from").toEqual(lengths);
    await ann.press("6\u00a0min");
    await ann.press("Length: 6\u00a0min");
    ann.say("2:30");
    await ann.press("✅", "Length: 2:30");
    expect((await firstTask()).request.duration_sec).toBe(150);
  });

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

  test("accepts texts for every control again after a restart", async () => {
    const ann = chatter(ANN.id);
    ann.say("/music a slow song about the sea");
    await ann.press("More");
    await ann.press("Title");
    await ann.see("up to 120\u00a0characters");
    await service.restart();
    ann.say("Sea");
    await ann.press("More", "⚙️ Title: Sea");
    await ann.press("Title: Sea");
    await ann.press("Clear");
    await ann.seeButton("Title: —");
    ann.say("a fast song about the sea");
    await ann.press("✅", "a fast song");
    const { request } = await firstTask();
    expect(request.description).toBe("a fast song about the sea");
    expect(request).not.toHaveProperty("title");
  });

  test("that is open gets the answer to the question of a card that it replaced", async () => {
    service.provider.holds = false;
    const ann = chatter(ANN.id);
    ann.say("/music a march of the ants");
    await ann.choose("MiniMax Music");
    await ann.press("✅");
    const song = await ann.seeButton("⚙️ Adjust");
    ann.say("/image a lake");
    await ann.press("⚙️ More", "a lake");
    await ann.press("✍️ Describe");
    await ann.see("What should the image show?");
    ann.person.tap(song, "⚙️ Adjust");
    await ann.seeButton("✅", "a march of the ants");
    ann.say("a hymn of the bees");
    const card = await ann.seeButton("✅", "a hymn of the bees");
    expect(card.text).toContain("MiniMax Music");
  });

  test("in a group rejects another person's tap and ignores their reply", async () => {
    const ann = chatter(ANN.id, service.sandbox.groupId);
    const boris = chatter(BORIS.id, service.sandbox.groupId);
    ann.say(toBot(service, "/music"));
    const question = await ann.see("What should the song be about");
    ann.say("a slow song about the sea", { replyTo: question.message_id });
    const card = await ann.seeButton("⚙️ More", "about the sea");
    expect((await boris.person.tap(card, "⚙️ More").answered()).show_alert).toBe(true);
    ann.person.tap(card, "⚙️ More");
    await ann.press("Title: —");
    const second = await ann.see((message) => message.text?.includes("song called? ✍️") ?? false);
    ann.say("not an answer");
    boris.say("Not mine", { replyTo: second.message_id });
    ann.say("Sea", { replyTo: second.message_id });
    await ann.press("✅ Generate · 25\u00a0₽", "Title: Sea");
    expect((await firstTask()).request).toMatchObject({ title: "Sea" });
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

test("the menus and the help name all three kinds in both languages", async () => {
  const ann = chatter(ANN.id);
  const boris = chatter(BORIS.id);
  ann.say("/help");
  expect((await ann.see("How it works")).text).toMatch(/\/image.*\/video.*\/music/s);
  boris.say("/start");
  expect((await boris.see("Здравствуйте")).text).toMatch(/видео и музыку/);
  const menus = service.sandbox.calls.filter(({ method }) => method === "setMyCommands");
  const [menu] = menus;
  expect(JSON.stringify(menu?.params.commands)).toMatch(/"image".*"video".*"music"/);
});
