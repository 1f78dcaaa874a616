import { expect, test } from "vitest";
import { fieldNamed, fieldsOf } from "../../../src/bot/card/form/fields.js";
import { saidSettings, typedSetting } from "../../../src/bot/card/parameter-names.js";
import { modelNamed, texts } from "../../support/drafts.js";

function typed(key: string, name: string, text: string) {
  const field = fieldNamed(fieldsOf(modelNamed(key)), name);
  if (!field) throw new Error(`no field ${name}`);
  return typedSetting(field, text, texts.in("ru"));
}

test.each([
  ["kling-4", "duration_sec", 30, ["30", "30 с", "30с", "30 сек", "30 секунд.", "30\u00a0с"]],
  ["kling-4", "aspect_ratio", "9:16", ["вертикально", "9:16", "9/16", "9 на 16", "9х16", "9×16", "9 : 16"]],
  ["kling-4", "resolution", "1080p", ["1080", "1080p", "1080р", "1080P"]],
  ["kling-4", "video_speed_mode", "fast", ["быстро", "Быстрый", "fast"]],
  ["kling-4", "sound", true, ["да", "Да!"]],
  ["kling-4", "sound", false, ["нет"]],
  ["nano-banana-2", "count", 3, ["3", "3 картинки", "3."]],
  ["nano-banana-2", "resolution", "4K", ["4K", "4к", "4", "4 K"]],
  ["nano-banana-2", "aspect_ratio", "auto", ["авто", "auto"]],
  ["music:suno-v5", "style_preset_id", "rock", ["рок", "Рок", "rock"]],
  ["music:suno-v5", "style_preset_id", "hip_hop", ["хип-хоп"]],
  ["music:suno-v5", "style_weight", 0.7, ["0,7", "0.7"]],
] as const)("%s: a typed %s chooses %s", (key, name, value, texts) => {
  for (const text of texts) expect([text, typed(key, name, text)]).toEqual([text, value]);
});

test.each([
  ["kling-4", "duration_sec", "31"],
  ["kling-4", "duration_sec", "5 мин"],
  ["kling-4", "duration_sec", "дракон летит 30 раз"],
  ["kling-4", "aspect_ratio", "1:2"],
  ["kling-4", "video_speed_mode", "дракон"],
  ["kling-4", "sound", "дракон летит"],
  ["nano-banana-2", "count", "30"],
  ["nano-banana-2", "resolution", "8K"],
  ["music:suno-v5", "style_preset_id", "р"],
  ["music:suno-v5", "style_weight", "2"],
])("%s: no value of %s is «%s»", (key, name, text) => {
  expect(typed(key, name, text)).toBeUndefined();
});

function said(key: string, text: string) {
  return saidSettings(fieldsOf(modelNamed(key)), text, texts.languages, false);
}

test.each([
  ["nano-banana-2", "16:9", { aspect_ratio: "16:9" }],
  ["nano-banana-2", "в 4к", { resolution: "4K" }],
  ["nano-banana-2", "а можно в 4к?", { resolution: "4K" }],
  ["nano-banana-2", "Вертикально, пожалуйста!", { aspect_ratio: "9:16" }],
  ["nano-banana-2", "сделай квадрат", { aspect_ratio: "1:1" }],
  ["nano-banana-2", "2 штуки", { count: 2 }],
  [
    "nano-banana-2",
    "в формате 9 на 16, 4к, две картинки",
    { aspect_ratio: "9:16", resolution: "4K", count: 2 },
  ],
  ["nano-banana-2", "vertical, 4К", { aspect_ratio: "9:16", resolution: "4K" }],
  ["veo-3-1", "8 секунд", { duration_sec: 8 }],
  ["veo-3-1", "6с без звука", { duration_sec: 6, sound: false }],
  ["veo-3-1", "быстро", { video_speed_mode: "fast" }],
  ["music:suno-v5", "рок без слов", { style_preset_id: "rock", make_instrumental: true }],
  ["music:elevenlabs", "2 мин", { duration_sec: 120 }],
] as const)("%s: «%s» names settings", (key, text, settings) => {
  expect(said(key, text)).toEqual(settings);
});

test.each([
  ["nano-banana-2", "2"],
  ["nano-banana-2", "да"],
  ["nano-banana-2", "в на"],
  ["nano-banana-2", "4 кота"],
  ["nano-banana-2", "2 дракона"],
  ["nano-banana-2", "вертикальный дом"],
  ["nano-banana-2", "кот 16:9"],
  ["veo-3-1", "10 собак"],
  ["veo-3-1", "text"],
  ["veo-3-1", "нет"],
  ["music:suno-v5", "средне"],
])("%s: «%s» says something else", (key, text) => {
  expect(said(key, text)).toEqual({});
});
