import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../../../src/catalogue/json.js";
import { inputFields } from "../src/fal.js";
import { fieldFindings, type PublishedField, sentToEndpoints, shownList } from "../src/published.js";
import { oneMapping } from "./harness.js";

const [sent] = sentToEndpoints(oneMapping("polza"), "polza");
if (!sent) throw new Error("nothing is sent");

const free: PublishedField = { isRequired: false, schema: z.unknown() };
const required = (fallback?: Json): PublishedField => ({ ...free, isRequired: true, fallback });
const told = (fields: Record<string, PublishedField>, inputs?: readonly Record<string, Json>[]) => {
  const [request] = sent.usual;
  const usual = inputs && request ? inputs.map((input) => ({ ...request, input })) : sent.usual;
  return fieldFindings({ usual, extreme: [] }, { fields }).map(
    ({ matters, text }) => `${matters ? "DIFFERS" : "note"}: ${text}`,
  );
};

test("every combination of a model's values is sent, with texts at their limits", () => {
  const sides = sent.usual.map(({ input }) => `${input.duration} ${input.aspect_ratio}`);
  expect(new Set(sides)).toEqual(
    new Set(["5", "10"].flatMap((length) => ["16:9", "9:16", "1:1"].map((ratio) => `${length} ${ratio}`))),
  );
  const lengths = sent.extreme.map(({ input }) => String(input.prompt).length);
  expect(Math.min(...lengths)).toBe(1);
  expect(Math.max(...lengths)).toBeGreaterThan(1000);
});

describe("a required field", () => {
  test.each<[string, PublishedField, readonly Record<string, Json>[], readonly string[]]>([
    ["that is sent", required(), [{ a: 1 }], []],
    ["that is never sent", required(), [{}, {}], ["DIFFERS: a is required there, and never sent"]],
    [
      "that some requests lack",
      required(),
      [{ a: 1 }, {}],
      ["DIFFERS: a is required there, and not sent by 1 of 2 requests"],
    ],
    [
      "that has a default",
      required("1K"),
      [{}],
      ['note: a is required there, and never sent: its default is "1K"'],
    ],
  ])("%s", (_name, field, inputs, findings) => {
    expect(told({ a: field }, inputs)).toEqual(findings);
  });
});

test("refused values are told once, with those that are taken", () => {
  const duration = { isRequired: false, schema: z.union([z.literal(["10", "15"]), z.null()]) };
  expect(told({ prompt: free, duration, aspect_ratio: free })).toEqual([
    'DIFFERS: duration "5": Invalid option: expected one of "10"|"15"; Invalid input: expected null, received string',
  ]);
});

test("long values are told by their length, and many by their count", () => {
  expect(shownList(["a".repeat(61), Array(9).fill("https://a.test"), "4:3", "4:3"])).toBe(
    'a text of 61 characters, a list of 9, "4:3"',
  );
  expect(shownList([...Array(14).keys()])).toBe("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2 more");
});

/** A schema of fields in the forms that fal's documents have. */
const SCHEMAS = {
  ImageSize: {
    type: "object",
    properties: { width: { type: "integer", exclusiveMinimum: 0, maximum: 14142, default: 512 } },
  },
  Ratio: { enum: ["16:9", "9:16"], type: "string" },
  Loop: { type: "array", items: { $ref: "#/definitions/Loop" } },
  VideoInput: {
    title: "VideoInput",
    type: "object",
    "x-fal-order-properties": ["prompt"],
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 2500, description: "…", examples: ["x"] },
      image_size: {
        anyOf: [
          { $ref: "#/definitions/ImageSize" },
          { enum: ["square_hd"], type: "string" },
          { type: "null" },
        ],
        default: { height: 1, width: 1 },
      },
      aspect_ratio: { allOf: [{ $ref: "#/definitions/Ratio" }], default: "16:9" },
      seed: { type: "integer", nullable: true },
      images: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
      loop: { $ref: "#/definitions/Loop" },
      gone: { $ref: "#/definitions/Gone" },
      far: { $ref: "https://elsewhere.test/x" },
      strange: { enum: "no list", maximum: "9", type: 7 },
      nothing: true,
    },
    required: ["prompt", "images"],
  },
};
const fields = inputFields({ $ref: "#/definitions/VideoInput" }, SCHEMAS);

test.each([
  ["prompt", "a".repeat(2501), false],
  ["image_size", { width: 14143 }, false],
  ["image_size", "square_hd", true],
  ["aspect_ratio", "1:1", false],
  ["seed", null, true],
  ["images", ["a", "b", "c"], false],
  ["loop", [[[[]]]], true],
  ["gone", 7, true],
  ["far", 7, true],
  ["strange", 7, true],
  ["nothing", 7, true],
] as const)("fal: %s %j fits: %s", (name, value, isTaken) => {
  expect(fields?.[name]?.schema.safeParse(value).success).toBe(isTaken);
});

test("fal: required fields and defaults are read, and what has no properties has no fields", () => {
  const required = Object.entries(fields ?? {}).filter(([, { isRequired }]) => isRequired);
  expect(required.map(([name]) => name)).toEqual(["prompt", "images"]);
  expect(fields?.aspect_ratio?.fallback).toBe("16:9");
  for (const schema of [undefined, null, 7, "x", [], {}, { $ref: "#/definitions/Loop" }, { properties: [] }])
    expect(inputFields(schema, SCHEMAS)).toBeUndefined();
});
