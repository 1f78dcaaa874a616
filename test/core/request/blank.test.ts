import { expect, test } from "vitest";
import { readPrompt } from "../../../src/jobs/parameters.js";
import { IMAGE, MUSIC, openTestCore } from "../../support/core.js";

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

test.each(Object.entries(BLANKS))(
  "a text of %s alone counts as absent, and costs nothing",
  async (_what, blank) => {
    const world = openTestCore();
    await world.person(1, 100_00);
    const { api } = world.core.routes;
    await expect(api.submit(1, { ...IMAGE, prompt: blank })).rejects.toMatchObject({
      code: "prompt_required",
    });
    await api.submit(1, { ...IMAGE, prompt: blank, prompt_text: "a fox" });
    const song = { ...MUSIC, mode: "lyrics", description: undefined, lyrics: blank.repeat(20) };
    await expect(api.submit(1, song)).rejects.toThrow();
    await expect(api.submit(1, { ...MUSIC, description: blank.repeat(20) })).rejects.toThrow();
    expect(world.adminService.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(1);
    await world.close();
  },
);

test("a text with visible characters keeps its unseen ones", () => {
  const prompt = "👩\u200d🚀 a\u200b fox\u0000";
  expect(readPrompt({ value: prompt, parameter: null })).toBe(prompt);
});
