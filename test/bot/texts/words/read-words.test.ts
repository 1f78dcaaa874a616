import { describe, expect, test } from "vitest";
import { readWordLists, readWords } from "../../../../src/bot/texts/read-words.js";
import { texts } from "../../../support/drafts.js";

const lists = readWordLists(texts.languages);
const kindOf = (text: string) => readWords(text, lists)?.kind;

test.each([
  "привет",
  "Привет!",
  "ПРИВЕЕЕТ)))",
  "Здравствуйте.",
  "добрый день 🙂",
  "привет, как дела?",
  "hi",
  "Hiii 👋",
  "Hello, bot",
  "👋🏽",
  "👋 👋",
  "start",
  "начать",
  "меню",
  "Menu",
])("«%s» is a greeting", (text) => {
  expect(kindOf(text)).toBe("start");
});

test.each([
  ["cancel", ["отмена", "Отмена!", "стоп", "cancel", "Never mind."]],
  ["balance", ["баланс", "как пополнить баланс?", "пополнить", "balance", "Top up"]],
  ["help", ["помощь", "Помогите!", "help", "How does it work?"]],
  ["price", ["цена", "сколько стоит?", "почем", "price", "How much?"]],
  ["operator", ["оператор", "Поддержка", "operator"]],
  ["language", ["язык", "language"]],
  [
    "thanks",
    ["спасибо!", "Спасибо большое", "ок, спасибо", "супер!!!", "thanks", "OK, thank you!", "❤️", "🙏🏽"],
  ],
  ["yes", ["да", "ок", "Окей", "понятно", "yes", "👍", "👍🏻", "+", "👌👌"]],
  ["no", ["нет", "No.", "👎"]],
  ["wordless", ["?", "3", "1 000", "9:16", "🦊", "🐱🐶", "…", "!!!"]],
] as const)("a message of a known meaning is %s", (kind, messages) => {
  for (const text of messages) expect([text, kindOf(text)]).toEqual([text, kind]);
});

test.each([
  "привет из космоса",
  "a fox says hi",
  "hello kitty",
  "лиса",
  "hi-res photo of a cat",
  "конь в пальто",
  "огонь",
  "да здравствует лето",
  "no man’s land at dawn",
  "thanks giving dinner table",
  "цена свободы, плакат",
  "Video game character, pixel art",
  "видеокамера на столе",
  "видео-арт с неоном",
  "Music box on a table",
  "Song\nof the sea\nand the wind",
  "нарисуй кота",
  "Make it night",
  "фото лисы в лесу",
  "Draw a movie poster",
  "draw a video game character",
  "Нарисуй песню льда",
  "сделай видео-открытку",
])("«%s» is a description", (text) => {
  expect(readWords(text, lists)).toBeUndefined();
});

describe("a request opens its kind with the rest as the description", () => {
  test.each([
    ["сделай видео: кот бежит", "video", "кот бежит"],
    ["Сделай, пожалуйста, видео про кота", "video", "про кота"],
    ["видео: кот бежит", "video", "кот бежит"],
    ["Видео — кот бежит", "video", "кот бежит"],
    ["видео с котом", "video", "с котом"],
    ["видео", "video", ""],
    ["Хочу видео!", "video", ""],
    ["сочини песню про маму", "music", "про маму"],
    ["Напиши мне песню о море\nв стиле джаз", "music", "о море\nв стиле джаз"],
    ["песня про лето", "music", "про лето"],
    ["привет! сочини песенку про кота", "music", "про кота"],
    ["Make a video of a cat running", "video", "a cat running"],
    ["please make me a short video: a cat", "video", "a cat"],
    ["Can you make a music video about rain?", "video", "about rain?"],
    ["Write a song about rain", "music", "about rain"],
    ["I’d like a song", "music", ""],
    ["сделай картинку: лиса", "image", "сделай картинку: лиса"],
    ["Make a picture", "image", ""],
    ["draw a picture of a fox", "image", "draw a picture of a fox"],
    ["Draw me a video of a fox", "video", "a fox"],
    ["make a clip art of a cat", "video", "make a clip art of a cat"],
    ["Create a music album cover", "music", "Create a music album cover"],
    ["сделай видео кот бежит", "video", "кот бежит"],
  ] as const)("«%s»", (text, type, description) => {
    expect(readWords(text, lists)).toEqual({ kind: "request", type, text: description });
  });
});
