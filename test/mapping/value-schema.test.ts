import { describe, expect, it } from "vitest";
import { inputSchema } from "../../src/catalogue/mapping.js";

function problemOf(value: unknown): string {
  const parsed = inputSchema.safeParse({ made: value });
  const [issue] = parsed.error?.issues ?? [];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : "none";
}

describe("the schema of a mapping refuses", () => {
  it.each<[problem: RegExp, value: unknown]>([
    [/^made: must hold one of const, from, size/, { form: "prompt" }],
    [/^made: must be a text/, ["$prompt"]],
    [/^made: must be a text/, "$Prompt"],
    [/^made: Unrecognized key/, { from: "prompt", maps: {} }],
    [/^made\.as: must be string, number, ms/, { from: "prompt", as: "upper" }],
    [/^made: snap and to belong together/, { from: "duration_sec", snap: [4] }],
    [/^made: else needs map/, { from: "duration_sec", else: 4 }],
    [/^made\.map/, { from: "resolution", map: { "1K": {} } }],
    [/^made\.list/, { list: [] }],
    [/^made\.list\.1\.from/, { list: ["$prompt", { from: 5 }] }],
    [/^made\.separator/, { join: ["$prompt"] }],
    [/^made\.value/, { when: { sound: [true] } }],
    [/^made\.size/, { size: "sides", pixels: 1 }],
    [/^made\.pixels/, { size: "WxH", pixels: { "1K": "1" } }],
    [/^made\.object\.a\.omit\.from/, { object: { a: { omit: { from: "A" } } } }],
  ])("%s: %j", (problem, value) => {
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
