import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { IntentContext } from "../../../src/bot/texts/read-intent.js";
import { texts } from "../../support/drafts.js";

const { readIntent } = texts;

/** Names an intent in one word, such as `describe`, `describe video`, `command top-up`, `talk thanks`. */
async function said(text: string, context: IntentContext = {}): Promise<string> {
  const intent = await readIntent(text, context);
  if (intent.kind === "command") return `command ${intent.name}${intent.argument && ` ${intent.argument}`}`;
  if (intent.kind === "talk") return `talk ${intent.about}`;
  return intent.kind === "describe" && intent.type ? `describe ${intent.type}` : intent.kind;
}

const AFTER = {
  nothing: {},
  "a picture": { last: "image" },
  "a video": { last: "video" },
  "a song": { last: "music" },
  "an answer of support": { isAnswered: true },
  "a card that asks": { card: { hasText: false, hasPictures: false } },
  "a song's card of lines": { card: { hasText: false, hasPictures: false, maySing: true } },
  "a full card": { card: { hasText: true, hasPictures: false } },
  "a card with a photo": { card: { hasText: false, hasPictures: true } },
  "a reply to a picture": { last: "image", isReply: true },
} as const satisfies Record<string, IntentContext>;
type Situation = keyof typeof AFTER;

const ANYWHERE = ["nothing", "a picture", "a video", "a full card", "a card that asks"] as const;

function linesOf(file: string): string[] {
  return readFileSync(join(import.meta.dirname, file), "utf8")
    .trim()
    .split("\n");
}

/** What phrases mean after something: lines of `a picture, a video: talk thanks = nice | lovely`. */
const PHRASES = linesOf("phrases.txt").map((line) => {
  const [, after = "", meant = "", phrases = ""] = /^(.*?): (.*?) = (.*)$/.exec(line) ?? [];
  const situations = after.split(", ").flatMap((one) => (one === "anywhere" ? ANYWHERE : [one as Situation]));
  return { meant, situations, phrases: phrases.replaceAll("\\n", "\n").split(" | ") };
});

test("phrases.txt has enough phrases, after situations that there are", () => {
  expect(new Set(PHRASES.flatMap(({ phrases }) => phrases)).size).toBeGreaterThan(1000);
  expect(PHRASES.flatMap(({ situations }) => situations).filter((one) => !(one in AFTER))).toEqual([]);
});

describe.each(PHRASES)("“$meant” is meant after $situations", ({ meant, situations, phrases }) => {
  test.each(situations)("after %s", async (situation) => {
    const read = await Promise.all(
      phrases.map(async (text) => `${text} → ${await said(text, AFTER[situation])}`),
    );
    expect(read.filter((line) => !line.endsWith(`→ ${meant}`))).toEqual([]);
  });
});

test("a model's name is one, and words of any length and kind are read", async () => {
  expect(await said("Kling", { isModel: true })).toBe("model");
  const parts = "a |еще |?|\n|make |please, |промокод:|где мои |👍|-|'|видео |i want ".split("|");
  for (const part of parts)
    for (const end of ["", "x", "?", " еще"]) {
      const text = part.repeat(4096 / part.length) + end;
      expect(["describe", "unsure", "talk"]).toContain((await readIntent(text)).kind);
    }
});

test("no word of a request, however often, takes more time than reading it", async () => {
  const lists = [
    "fillers",
    "tones",
    "verbs",
    "nouns-image",
    "nouns-music",
    "kinds-music",
    "kinds-image",
    "kinds-video",
  ];
  const words = texts.languages.flatMap(({ t }) => lists.flatMap((list) => t(`request-${list}`).split(",")));
  for (const word of ["весёлая", "веселая", ...words.map((one) => one.trim().replace("*", "ая"))])
    expect((await readIntent(`${`${word} `.repeat(200)}сцена`)).kind).toBeTypeOf("string");
});

test("a request about a known word keeps its description", async () => {
  expect(await readIntent("песня о тебе")).toEqual({ kind: "describe", type: "music", text: "о тебе" });
  expect(await readIntent("видео про нас")).toEqual({ kind: "describe", type: "video", text: "про нас" });
});

test("a long text keeps each of its characters", async () => {
  const text = `${"a castle, ".repeat(300)}the end`;
  expect(await readIntent(text, { last: "image", isAnswered: true })).toEqual({ kind: "describe", text });
});

/** Messages that no example was written for: `order|words`, `change|words` and `talk|words`. */
const UNSEEN = linesOf("unseen.txt").map((line) => line.split("|") as [kind: string, words: string]);

async function shareOf(kind: string, kinds: readonly string[], context: IntentContext): Promise<number> {
  const ofKind = UNSEEN.filter(([one]) => one === kind);
  const read = await Promise.all(ofKind.map(([, words]) => readIntent(words, context)));
  return read.filter((intent) => kinds.includes(intent.kind)).length / ofKind.length;
}

test.each(texts.languages)("the bot's own suggestions are orders of their kind: $code", async ({ t }) => {
  for (const situation of ANYWHERE) {
    expect(await said(t("example-image"), AFTER[situation])).toBe("describe");
    expect(await said(t("example-video"), AFTER[situation])).toBe("describe");
    expect(await said(t("example-music"), AFTER[situation])).toBe("describe music");
  }
});

describe("what nobody wrote an example for", () => {
  test.each([
    ["nothing", 0.01],
    ["a picture", 0.02],
    ["a full card", 0.01],
    ["a card that asks", 0.02],
    ["a reply to a picture", 0.02],
    ["an answer of support", 0.01],
  ] as const)("is no order where it is talk, after %s", async (situation, most) => {
    expect(await shareOf("talk", ["describe", "edit"], AFTER[situation])).toBeLessThan(most);
  });

  test("is an order where it describes something, after most situations", async () => {
    expect(await shareOf("order", ["describe"], AFTER.nothing)).toBeGreaterThan(0.9);
    expect(await shareOf("order", ["describe"], AFTER["a picture"])).toBeGreaterThan(0.9);
    expect(await shareOf("order", ["describe"], AFTER["a card that asks"])).toBeGreaterThan(0.92);
    expect(await shareOf("order", ["describe"], AFTER["an answer of support"])).toBeGreaterThan(0.85);
  });

  test("hardly becomes a new picture where it changes the last one", async () => {
    expect(await shareOf("change", ["describe"], AFTER["a picture"])).toBeLessThan(0.25);
    expect(await shareOf("change", ["edit"], AFTER["a picture"])).toBeGreaterThan(0.25);
  });
});
