import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadTexts } from "../../src/bot/texts/texts.js";
import { CONTRACT_ERROR_CODES } from "../../src/contract/errors.js";
import { sources } from "../support/table-descriptions.js";

const LOCALES = join(import.meta.dirname, "../../locales");
const files = readdirSync(LOCALES).filter((name) => name.endsWith(".ftl"));
const texts = loadTexts(LOCALES, "en");

/** Every message of a file with the variables that it uses. */
function messagesOf(file: string): Map<string, string[]> {
  const messages = new Map<string, string[]>();
  let current = "";
  for (const line of readFileSync(join(LOCALES, file), "utf8").split("\n")) {
    const [, key] = /^([a-zA-Z][\w-]*)\s*=/.exec(line) ?? [];
    if (key) current = key;
    if (line.startsWith("#")) current = "";
    if (!current) continue;
    const variables = [...line.matchAll(/\$(\w+)/g)].map(([, name]) => name ?? "");
    messages.set(current, [...new Set([...(messages.get(current) ?? []), ...variables])].sort());
  }
  return messages;
}

/** Every literal key that the code of the bot looks up. */
function keysInCode(): string[] {
  const code = sources.filter(({ path }) => path.startsWith("bot/"));
  return code.flatMap(({ text }) => [...text.matchAll(/\bt\(\s*"([\w-]+)"/g)].map(([, key]) => key ?? ""));
}

describe("the locales", () => {
  test.each(files)("%s has every key of en.ftl with the same variables", (file) => {
    expect(messagesOf(file)).toEqual(messagesOf("en.ftl"));
  });

  test("have every key that the code uses", () => {
    const known = messagesOf("en.ftl");
    const used = keysInCode();
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter((key) => !known.has(key))).toEqual([]);
  });

  test.each(texts.languages)("explain in $code how to resolve every rejection of an order", ({ has }) => {
    const ofHttp = ["invalid_json", "unsupported_type", "bad_job_id", "api_key_required", "invalid_api_key"];
    const never = [...ofHttp, "insufficient_funds", "job_not_found", "internal_error"];
    const codes = CONTRACT_ERROR_CODES.filter((one) => !never.includes(one));
    expect(codes.filter((one) => !has(`refused-${one}`))).toEqual([]);
  });

  test.each([
    ["en", 1200, "12\u00a0₽"],
    ["en", 123_450, "1,234.50\u00a0₽"],
    ["ru", 123_450, "1\u00a0234,50\u00a0₽"],
    ["ru", 5, "0,05\u00a0₽"],
  ])("%s formats %i kopecks as %s", (code, kopecks, written) => {
    expect(texts.in(code).money(kopecks)).toBe(written);
  });

  test.each(files)("%s keeps a number and its unit on one line", (file) => {
    const quantity = "(?:\\d|\\$(?:min|max|count|size|minutes|hours|days|value) \\})";
    const units =
      "(?:₽|МБ|MB|мин|min|ч|h|с|s)(?!\\p{L})|символ|character|мегапиксел|megapixel|фото|photo|ключ|key";
    const loose = new RegExp(`${quantity} (?:${units})`, "u");
    const lines = readFileSync(join(LOCALES, file), "utf8").split("\n");
    expect(lines.filter((line) => loose.test(line))).toEqual([]);
  });

  test("Russian has em dashes, each on the line of the word before it", () => {
    const lines = readFileSync(join(LOCALES, "ru.ftl"), "utf8").split("\n");
    expect(lines.filter((line) => /–|(?<!\u00a0)—/u.test(line))).toEqual([]);
  });

  test("English has typographic apostrophes and no second spelling of them", () => {
    const lines = readFileSync(join(LOCALES, "en.ftl"), "utf8").split("\n");
    const texts = lines.filter((line) => !/^(#|words-|request-)/.test(line));
    expect(texts.filter((line) => line.includes("'"))).toEqual([]);
  });

  test.each(texts.languages)("labels that share a row are readable on a phone in $code", ({ t }) => {
    const wide = ["button-try-again", "button-go-on", "button-copy", "button-edit-last"];
    const labels = [...messagesOf("en.ftl")]
      .filter(([key, variables]) => /^button-/.test(key) && variables.length === 0 && !wide.includes(key))
      .map(([key]) => t(key));
    expect(labels.length).toBeGreaterThan(25);
    expect(labels.filter((label) => [...label].length > 18)).toEqual([]);
  });

  test.each(texts.languages)(
    "keep callback answers in a group within 200 characters in $code",
    ({ code }) => {
      const { t } = texts.inGroup(code, "a_bot_with_the_longest_name__bot");
      const answers = [...messagesOf("en.ftl").keys()].filter((key) => /^(tap|again)-/.test(key));
      expect(answers.length).toBeGreaterThan(5);
      expect(answers.filter((key) => t(key).length > 200)).toEqual([]);
    },
  );

  test("append the bot's name to commands in a group, and nowhere else", () => {
    expect(texts.in("en").t("unknown-command")).toContain("/help shows");
    expect(texts.inGroup("en", "my_bot").t("unknown-command")).toContain("/help@my_bot shows");
    expect(texts.inGroup("ru", "my_bot").t("ask-by-reply")).toContain("/cancel@my_bot");
    expect(texts.inGroup("en", "my_bot").t("balance-private-only")).toContain("/balance in our");
  });

  test.each([
    ["ru", 1, "символа"],
    ["ru", 2, "символов"],
    ["en", 1, "1\u00a0character."],
    ["en", 2, "characters"],
  ])("%s inflects %i", (code, max, expected) => {
    expect(texts.in(code).t("prompt-too-long", { name: "Title", max })).toContain(expected);
  });

  test.each([
    [undefined, "en"],
    ["ru", "ru"],
    ["ru-RU", "ru"],
    ["EN-gb", "en"],
    // No language has this code, whichever are added.
    ["zz", "en"],
  ])("a person with language code %s gets texts in %s", (code, expected) => {
    expect(texts.in(code).code).toBe(expected);
  });
});
