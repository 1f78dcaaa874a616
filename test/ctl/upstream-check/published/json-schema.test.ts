import { expect, test } from "vitest";
import { fits } from "../../../../src/ctl/upstream-check/published/fits.js";
import { inputFields } from "../../../../src/ctl/upstream-check/published/json-schema.js";

/** In the forms that fal's documents have. */
const SCHEMAS = {
  ImageSize: {
    type: "object",
    properties: { width: { type: "integer", exclusiveMinimum: 0, maximum: 14142, default: 512 } },
  },
  Ratio: { enum: ["16:9", "9:16"], type: "string" },
  Loop: { type: "array", items: { $ref: "#/components/schemas/Loop" } },
  VideoInput: {
    title: "VideoInput",
    type: "object",
    "x-fal-order-properties": ["prompt"],
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 2500, description: "…", examples: ["x"] },
      image_size: {
        anyOf: [
          { $ref: "#/components/schemas/ImageSize" },
          { enum: ["square_hd"], type: "string" },
          { type: "null" },
        ],
        default: { height: 1, width: 1 },
      },
      aspect_ratio: { allOf: [{ $ref: "#/components/schemas/Ratio" }], default: "16:9" },
      kind: { const: "fast" },
      seed: { type: "integer", nullable: true },
      images: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
      loop: { $ref: "#/components/schemas/Loop" },
      gone: { $ref: "#/components/schemas/Gone" },
      far: { $ref: "https://elsewhere.test/x" },
      strange: { enum: "no list", maximum: "9", type: 7 },
      nothing: true,
    },
    required: ["prompt", "images"],
  },
};
const fields = inputFields({ $ref: "#/components/schemas/VideoInput" }, SCHEMAS);

test.each([
  ["prompt", "x", true],
  ["prompt", "a".repeat(2501), false],
  ["image_size", { width: 14142 }, true],
  ["image_size", { width: 14143 }, false],
  ["image_size", "square_hd", true],
  ["image_size", "square", false],
  ["aspect_ratio", "9:16", true],
  ["aspect_ratio", "1:1", false],
  ["kind", "fast", true],
  ["kind", "slow", false],
  ["seed", null, true],
  ["seed", 1.5, false],
  ["images", ["a", "b"], true],
  ["images", ["a", "b", "c"], false],
  ["images", [7], false],
  ["loop", [[[[]]]], true],
  ["gone", 7, true],
  ["far", 7, true],
  ["strange", 7, true],
  ["nothing", 7, true],
] as const)("%s %j fits: %s", (name, value, isTaken) => {
  const field = fields?.[name];
  expect(field && fits(field, value)).toBe(isTaken);
});

test("required fields and defaults are read", () => {
  expect(Object.entries(fields ?? {}).filter(([, { isRequired }]) => isRequired)).toMatchObject([
    ["prompt", {}],
    ["images", {}],
  ]);
  expect(fields?.aspect_ratio?.fallback).toBe("16:9");
});

test.each([undefined, null, 7, "x", [], {}, { $ref: "#/components/schemas/Loop" }, { properties: [] }])(
  "%j has no fields",
  (schema) => {
    expect(inputFields(schema, SCHEMAS)).toBeUndefined();
  },
);
