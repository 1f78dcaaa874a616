import { expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { COVER_SIDE } from "../support/results.js";
import { BORIS, startTestService } from "../support/service.js";

test("in Russian /music: lyrics and a title reach the provider, and its tracks come as an album", async () => {
  const service = await startTestService({ environment: { WELCOME_CREDIT_RUB: "1000" } });
  const one = new Chatter(service.sandbox.person(BORIS.id));
  one.say("/music");
  await one.press("Мои слова");
  await one.see("Какие слова у песни?");
  const song = "I walked along the river\nand the river walked with me";
  one.say(song);
  await one.press("Ещё", "walked along");
  await one.press("Название");
  await one.see("120");
  one.say("River / <road>");
  await one.press("✅ Создать · 25\u00a0₽", "River / <road>");
  const { request } = await eventually("a task of the provider", () => service.provider.tasks[0]);
  expect(request).toEqual({
    type: "music",
    model_key: "music:suno-v6",
    mode: "lyrics",
    title: "River / <road>",
    lyrics: song,
    custom_style: "a style that suits the lyrics",
    make_instrumental: false,
    style_weight: 0.65,
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
