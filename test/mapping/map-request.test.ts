import { describe, expect, it } from "vitest";
import { operationOf } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import fc from "../support/fast-check.js";
import { mappingOf } from "../support/service-mappings.js";
import { CONTEXT, imageRequest } from "./mappings.js";

/** What `value` makes of the parameters, or the field that it refuses. */
function made(value: unknown, parameters: Partial<GenerationRequest> = {}) {
  const input = { prompt: "$prompt", made: value };
  const ignores = Object.fromEntries(Object.keys(parameters).map((name) => [name, "not judged here"]));
  const operation = operationOf(mappingOf({ input, ignores }), imageRequest(parameters), CONTEXT);
  return "refusedField" in operation ? `refused: ${operation.refusedField}` : operation.input.made;
}

const size = (rule: object) => ({ size: "WxH", pixels: { "1K": 1024 * 1024, "2K": 2048 * 2048 }, ...rule });
const links = ["https://a.test/1", "https://a.test/2", "https://a.test/3"];

describe("a mapping makes", () => {
  it.each<[unknown, Partial<GenerationRequest>, unknown]>([
    ["$tracks", {}, 2],
    [null, {}, null],
    [{ const: "$prompt" }, {}, "$prompt"],
    [{ const: { a: [1] } }, {}, { a: [1] }],
    [{ from: "aspect_ratio", map: ["1:1"], else: "auto" }, { aspect_ratio: "9:8" }, "auto"],
    [{ from: "aspect_ratio", map: {}, else: "x" }, { aspect_ratio: "constructor" }, "x"],
    [{ from: "duration_sec", snap: [4, 6, 8], to: "up" }, { duration_sec: 5 }, 6],
    [{ from: "duration_sec", snap: [8, 6, 4], to: "down" }, { duration_sec: 7 }, 6],
    [{ from: "duration_sec", snap: [4, 8], to: "nearest" }, { duration_sec: 30 }, 8],
    [{ from: "duration_sec", snap: [4, 6], to: "nearest" }, { duration_sec: 5 }, 4],
    [{ from: "style_weight", snap: 0.05, to: "nearest" }, { style_weight: 0.57 }, 0.55],
    [{ from: "style_weight", snap: 0.01, to: "down" }, { style_weight: 0.57 }, 0.57],
    [{ from: "title", as: "<{}>" }, { title: "$& {}" }, "<$& {}>"],
    [{ from: "duration_sec", as: "string" }, { duration_sec: 5 }, "5"],
    [{ from: "resolution", map: { "4K": "4" }, as: "number" }, { resolution: "4K" }, 4],
    [{ from: "duration_sec", as: "ms" }, { duration_sec: 12.5 }, 12_500],
    [{ from: "style_preset_id", as: "words" }, { style_preset_id: "hip_hop" }, "hip hop"],
    [{ from: "lyrics", as: "title" }, { lyrics: "[Verse 1]\n\n Snow falls \nmore" }, "Snow falls"],
    [{ from: "lyrics", as: "title" }, { lyrics: "🦊".repeat(90) }, "🦊".repeat(80)],
    [{ from: "lyrics", as: "title" }, { lyrics: "[Intro]" }, "[Intro]"],
    [size({ multiple: 16 }), { aspect_ratio: "9:16", resolution: "1K" }, "768x1360"],
    [size({ size: "object" }), { aspect_ratio: "1:1", resolution: "2K" }, { width: 2048, height: 2048 }],
    [size({ pixels: 1_000_000 }), { aspect_ratio: "1:1" }, "1000x1000"],
    [size({ pixels_min: 2_000_000 }), { aspect_ratio: "1:1", resolution: "1K" }, "1415x1415"],
    [
      size({ presets: { "1:1 2K": "square", "1:1": "any" } }),
      { aspect_ratio: "1:1", resolution: "2K" },
      "square",
    ],
    [
      { list: ["$start_frame_url", "$reference_urls"] },
      { reference_urls: links, start_frame_url: "https://a.test/0" },
      ["https://a.test/0", ...links],
    ],
    [
      { list: ["$reference_urls"], each: { type: "url", data: "$item" } },
      { reference_urls: links.slice(0, 1) },
      [{ type: "url", data: "https://a.test/1" }],
    ],
    [{ join: ["$title", { from: "custom_style", as: "in {}" }], separator: ", " }, { title: "A" }, "A"],
    [{ omit: { list: ["$reference_urls"] } }, { reference_urls: [] }, undefined],
    [{ when: { sound: [true, null] }, value: "on", else: "off" }, {}, "on"],
    [{ object: { a: "$prompt", b: { omit: "$title" } } }, {}, { a: "a fox" }],
  ])("of %j with %j: %j", (value, parameters, expected) => {
    expect(made(value, parameters)).toEqual(expected);
  });
});

describe("a mapping refuses, by the field", () => {
  it.each<[unknown, Partial<GenerationRequest>, string]>([
    [{ object: { a: "$title" } }, {}, "title"],
    [{ from: "duration_sec", snap: [4, 8], to: "down" }, { duration_sec: 3 }, "duration_sec"],
    [{ from: "title", as: "number" }, { title: "x" }, "title"],
    [{ from: "reference_urls", as: "string" }, { reference_urls: links }, "reference_urls"],
    [size({}), { aspect_ratio: "auto", resolution: "1K" }, "aspect_ratio"],
    [size({}), { aspect_ratio: "1:1", resolution: "4K" }, "resolution"],
    [
      { list: ["$start_frame_url", "$reference_urls"], max: 3 },
      { start_frame_url: "https://a.test/0", reference_urls: links },
      "reference_urls",
    ],
    [{ join: ["$title", "$lyrics"], separator: "", max: 4 }, { title: "abc", lyrics: "de" }, "title"],
    [{ when: { title: true }, value: "x" }, {}, "title"],
  ])("of %j with %j: %s", (value, parameters, field) => {
    expect(made(value, parameters)).toBe(`refused: ${field}`);
  });
});

describe("a request is taken whole or not at all:", () => {
  const refusedBy = (mapping: Record<string, unknown>, request: GenerationRequest) => {
    const operation = operationOf(mappingOf(mapping), request, CONTEXT);
    return "refusedField" in operation ? operation.refusedField : undefined;
  };

  it("a field that no part of the mapping accounts for is refused", () => {
    expect(refusedBy({}, imageRequest({ resolution: "4K" }))).toBe("resolution");
  });

  it.each<[string, Record<string, unknown>]>([
    ["the input", { input: { prompt: "$prompt", size: "$resolution" } }],
    ["a listed value of the mapping's conditions", { when: { resolution: ["4K"] } }],
    [
      "a listed value of a branch",
      { input: { prompt: "$prompt", hd: { when: { resolution: ["4K"] }, value: true, else: false } } },
    ],
    ["a reason to leave it out", { ignores: { resolution: "the service knows one size" } }],
  ])("%s accounts for a field", (_, mapping) => {
    expect(refusedBy(mapping, imageRequest({ resolution: "4K" }))).toBeUndefined();
  });

  it("a condition on a field's presence does not account for its value", () => {
    const title = imageRequest({ title: "A" });
    expect(refusedBy({ when: { title: true } }, title)).toBe("title");
    expect(
      refusedBy({ input: { prompt: "$prompt", a: { when: { title: true }, value: 1, else: 2 } } }, title),
    ).toBe("title");
  });

  it("the core's own fields need no mapping", () => {
    expect(refusedBy({}, imageRequest({ count: 4, video_input_mode: "text" }))).toBeUndefined();
  });

  it("the text that a mode of music leaves unused needs no mapping", () => {
    const song = (mode: string) => imageRequest({ mode, lyrics: "la la", description: "a song" });
    const input = {
      prompt: "$prompt",
      text: { when: { mode: ["lyrics"] }, value: "$lyrics", else: "$description" },
    };
    expect([refusedBy({ input }, song("lyrics")), refusedBy({ input }, song("description"))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("a text or a list above the mapping's limit is refused, counted in characters and links", () => {
    const limits = { prompt: 3, reference_urls: 2 };
    const input = { prompt: "$prompt", images: { omit: "$reference_urls" } };
    expect(refusedBy({ limits, input }, imageRequest({ prompt: "🦊🦊🦊" }))).toBeUndefined();
    expect(refusedBy({ limits, input }, imageRequest({ prompt: "four" }))).toBe("prompt");
    expect(refusedBy({ limits, input }, imageRequest({ prompt: "a", reference_urls: links }))).toBe(
      "reference_urls",
    );
  });

  it("a number above the mapping's limit is refused", () => {
    const parts = { limits: { duration_sec: 300 }, input: { prompt: "$prompt", length: "$duration_sec" } };
    expect(refusedBy(parts, imageRequest({ duration_sec: 300 }))).toBeUndefined();
    expect(refusedBy(parts, imageRequest({ duration_sec: 301 }))).toBe("duration_sec");
  });
});

it("a mapped size keeps every bound, whatever the ratio", () => {
  const side = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(side, side, fc.constantFrom("1K", "2K", "4K"), (width, height, resolution) => {
      fc.pre(Math.max(width, height) <= 3 * Math.min(width, height));
      const rule = {
        size: "object",
        pixels: { "1K": 1024 ** 2, "2K": 2048 ** 2, "4K": 8_294_400 },
        multiple: 16,
        pixels_min: 655_360,
        pixels_max: 8_294_400,
        side_max: 3840,
      };
      const sides = Object(made(rule, { aspect_ratio: `${width}:${height}`, resolution }));
      expect(sides.width % 16).toBe(0);
      expect(sides.height % 16).toBe(0);
      expect(Math.max(sides.width, sides.height)).toBeLessThanOrEqual(3840);
      expect(sides.width * sides.height).toBeGreaterThanOrEqual(655_360);
      expect(sides.width * sides.height).toBeLessThanOrEqual(8_294_400);
      expect(Math.abs(Math.log(sides.width / sides.height / (width / height)))).toBeLessThan(0.04);
    }),
  );
});

it("the prices of units of several kinds go with the operation", () => {
  const units = { input: 0.000005, output: 0.00003 };
  const cost = { currency: "USD", per: "task", amount: 0.12, units };
  expect(operationOf(mappingOf({ cost }), imageRequest(), CONTEXT)).toMatchObject({
    units: { amounts: units, currency: "USD" },
  });
});
