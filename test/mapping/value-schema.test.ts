import { describe, expect, it } from "vitest";
import { inputSchema } from "../../src/catalogue/mapping.js";

function problemOf(value: unknown): string {
  const parsed = inputSchema.safeParse({ made: value });
  const [issue] = parsed.error?.issues ?? [];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : "none";
}

describe("the schema of a mapping refuses", () => {
  it.each<[string, unknown, RegExp]>([
    ["an unknown verb", { form: "prompt" }, /^made: must hold one of const, from, size/],
    ["an array", ["$prompt"], /^made: must be a text/],
    ["a field that is no name", "$Prompt", /^made: must be a text/],
    ["an unknown key of a verb", { from: "prompt", maps: {} }, /^made: Unrecognized key/],
    [
      "a form that it does not know",
      { from: "prompt", as: "upper" },
      /^made\.as: must be string, number, ms/,
    ],
    ["steps without a direction", { from: "duration_sec", snap: [4] }, /^made: snap and to belong together/],
    ["an else without a map", { from: "duration_sec", else: 4 }, /^made: else needs map/],
    ["a map of objects", { from: "resolution", map: { "1K": {} } }, /^made\.map/],
    ["an empty list", { list: [] }, /^made\.list/],
    ["a wrong value inside a list", { list: ["$prompt", { from: 5 }] }, /^made\.list\.1\.from/],
    ["a join without a separator", { join: ["$prompt"] }, /^made\.separator/],
    ["a branch without its value", { when: { sound: [true] } }, /^made\.value/],
    ["a size in another shape", { size: "sides", pixels: 1 }, /^made\.size/],
    ["pixels that are no number", { size: "WxH", pixels: { "1K": "1" } }, /^made\.pixels/],
    [
      "a wrong value inside an object",
      { object: { a: { omit: { from: "A" } } } },
      /^made\.object\.a\.omit\.from/,
    ],
  ])("%s", (_, value, problem) => {
    expect(problemOf(value)).toMatch(problem);
  });
});

it("the schema of a mapping takes every verb, nested", () => {
  const input = {
    prompt: "$prompt",
    fixed: { const: { any: ["$x"] } },
    ratio: { from: "aspect_ratio", map: ["1:1"], else: null },
    images: { omit: { list: ["$reference_urls"], max: 3, each: { type: "url", data: "$item" } } },
    text: { when: { mode: ["lyrics", null] }, value: { join: ["$lyrics"], separator: " " }, else: 5 },
    sides: { object: { of: { size: "object", pixels: 5, presets: { auto: "auto" } } } },
  };
  expect(inputSchema.parse(input)).toEqual(input);
});
