import { describe, expect, it, test } from "vitest";
import { hasInput, nodeKindsSchema, nodeProblems } from "../../src/catalogue/live-problems.js";
import type { Workflow } from "../../src/catalogue/workflow.js";

const KINDS = nodeKindsSchema.parse({
  KSampler: {
    input: {
      required: {
        model: ["MODEL"],
        steps: ["INT", { default: 20, min: 1, max: 10_000 }],
        sampler_name: [["euler", "heun"], {}],
        scheduler: ["COMBO", { options: ["simple"] }],
      },
      optional: { device: [["default", "cpu"]], resize: ["COMFY_DYNAMICCOMBO_V3", { options: [] }] },
    },
    output_node: false,
  },
  Loader: { input: { required: { name: [["a", "b", "c", "d", "e", "f", "g"], {}] } }, output_node: false },
  Empty: { input: { required: { name: [[], {}] } } },
  LoadImage: { input: { required: { image: [["example.png"], { image_upload: true }] } } },
  Many: { input: { required: { images: ["COMFY_AUTOGROW_V3", {}] } } },
  Save: { input: { required: { images: ["IMAGE"] }, hidden: { prompt: "PROMPT" } }, output_node: true },
  Odd: { input: null, output_node: "yes" },
});

const SAMPLER = { model: ["2", 0], steps: 8, sampler_name: "heun", scheduler: "simple" };
const GRAPH: Workflow = {
  "1": { class_type: "KSampler", inputs: SAMPLER },
  "2": { class_type: "Loader", inputs: { name: "g" } },
  "3": { class_type: "Save", inputs: { images: ["1", 0] } },
};
const sampler = (change: Record<string, string | number>): Workflow => ({
  ...GRAPH,
  "1": { class_type: "KSampler", inputs: { ...SAMPLER, ...change } },
});
const loaded = (class_type: string, inputs: Workflow[string]["inputs"]): Workflow => ({
  ...GRAPH,
  "2": { class_type, inputs },
});

describe("a ComfyUI lacks for a workflow:", () => {
  it.each<[string, Workflow, string[]]>([
    ["nothing", GRAPH, []],
    ["a node", loaded("Overlay", {}), ["there is no node Overlay (node 2)"]],
    ["an input that a node needs", loaded("Loader", {}), ["node 2 (Loader): needs the input name"]],
    [
      "a model file",
      loaded("Loader", { name: "x.safetensors" }),
      ['node 2 (Loader): name: there is no "x.safetensors", only a, b, c, d, e and 2 more'],
    ],
    [
      "every model file",
      loaded("Empty", { name: "x" }),
      ['node 2 (Empty): name: there is no "x", and nothing else'],
    ],
    [
      "values of lists of both forms",
      sampler({ sampler_name: "unknown", scheduler: "karras", device: "gpu" }),
      [
        'node 1 (KSampler): device: there is no "gpu", only default, cpu',
        'node 1 (KSampler): sampler_name: there is no "unknown", only euler, heun',
        'node 1 (KSampler): scheduler: there is no "karras", only simple',
      ],
    ],
    [
      "numbers out of their bounds",
      sampler({ steps: 0 }),
      ["node 1 (KSampler): steps: 0 is below its minimum of 1"],
    ],
    ["nothing for an uploaded file", loaded("LoadImage", { image: "atelier/x.webp" }), []],
    ["nothing for parts of an input", loaded("Many", { "images.image0": ["1", 0] }), []],
    ["nothing for a node of which it tells nothing", loaded("Odd", { a: 1 }), []],
    [
      "nothing for what no output is made from",
      { ...GRAPH, "9": { class_type: "Loader", inputs: { name: "x" } } },
      [],
    ],
  ])("%s", (_, workflow, expected) => {
    expect(nodeProblems(workflow, KINDS)).toEqual(expected);
  });
});

test("a part of an input is an input", () => {
  const { KSampler: kind } = KINDS;
  expect(["steps", "resize.width", "width"].map((name) => kind && hasInput(kind, name))).toEqual([
    true,
    true,
    false,
  ]);
});

test.each([{}, [], { error: "not found" }])("%j is no list of nodes", (told) => {
  expect(nodeKindsSchema.safeParse(told).success).toBe(false);
});
