import { expect, test } from "vitest";
import { readPrompt } from "../../../src/jobs/read-request.js";
import { refusalOf, requestOf } from "./support.js";

const BLANKS = {
  "zero-width spaces": "\u200b\u200b",
  "a word joiner and a byte order mark": "\u2060\ufeff",
  "a lone surrogate": "\ud83d",
  "NUL and an escape": "\u0000\u001b",
  "variation selectors": "\ufe0f\u{e0100}",
  "fillers of Hangul": "\u3164\u115f\u1160\uffa0",
  "empty Braille patterns": "\u2800",
  "tags and soft hyphens": "\u{e0041}\u00ad",
  "direction marks and spaces": " \u202e\u2066\u00a0",
};

test.each(Object.entries(BLANKS))("a text of %s alone counts as absent", (_what, blank) => {
  expect(refusalOf({ prompt: blank }).code).toBe("prompt_required");
  expect(requestOf({ prompt: blank, prompt_text: "a fox" }).prompt).toBe("a fox");
  const song = { type: "music", mode: "lyrics", custom_style: "pop", lyrics: blank.repeat(20) };
  expect(refusalOf(song).code).toBe("bad_music_lyrics");
  expect(refusalOf({ type: "music", description: blank.repeat(20) }).code).toBe("bad_music_description");
});

test("a text with visible characters keeps its unseen ones", () => {
  const prompt = "👩\u200d🚀 a\u200b fox\u0000";
  expect(readPrompt({ name: "prompt", value: prompt, parameter: null })).toBe(prompt);
});
