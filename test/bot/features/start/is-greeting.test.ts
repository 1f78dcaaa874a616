import { expect, test } from "vitest";
import { greetingsIn, isGreeting } from "../../../../src/bot/features/start/is-greeting.js";
import { texts } from "../../../support/drafts.js";

const greetings = greetingsIn(texts.languages.map(({ t }) => t("greetings")));

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
])("«%s» is a greeting", (text) => {
  expect(isGreeting(text, greetings)).toBe(true);
});

test.each([
  "",
  "🎨",
  "привет из космоса",
  "a fox says hi",
  "hello kitty",
  "лиса",
  "hi-res photo of a cat",
  "конь в пальто",
])("«%s» is not a greeting", (text) => {
  expect(isGreeting(text, greetings)).toBe(false);
});
