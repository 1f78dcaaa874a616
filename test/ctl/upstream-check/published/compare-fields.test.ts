import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/catalogue/json.js";
import { fieldFindings } from "../../../../src/ctl/upstream-check/published/compare-fields.js";
import type { PublishedField } from "../../../../src/ctl/upstream-check/published/published-model.js";
import { sentToEndpoints } from "../../../../src/ctl/upstream-check/published/sent-requests.js";
import { oneMapping } from "./one-route.js";

const [sent] = sentToEndpoints(oneMapping("polza"), "polza");
if (!sent) throw new Error("nothing is sent");

const free: PublishedField = { isRequired: false, ways: [] };
const required = (fallback?: Json): PublishedField => ({ isRequired: true, ways: [], fallback });
const told = (fields: Record<string, PublishedField>, inputs?: readonly Record<string, Json>[]) => {
  const [request] = sent.usual;
  const usual = inputs && request ? inputs.map((input) => ({ ...request, input })) : sent.usual;
  return fieldFindings({ usual, extreme: [] }, { fields, readsNoOther: false }).map(
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
  const duration = { isRequired: false, ways: [{ values: ["10"] }] };
  expect(told({ prompt: free, duration, aspect_ratio: free })).toEqual([
    'DIFFERS: duration "5": the service takes "10"',
  ]);
});

test("names that objects inherit are no fields", () => {
  expect(told({}, [{ constructor: "x" }])).toEqual([
    "note: constructor is sent, and the service does not name it",
  ]);
});

test("a mapping that no request reaches is a note", () => {
  expect(told({ a: required() }, [])).toEqual(["note: no request of the model reaches this mapping"]);
});
