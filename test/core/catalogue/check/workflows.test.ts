import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { loadCatalogue, parseCatalogue } from "../../../../src/catalogue/catalogue.js";
import type { Json } from "../../../../src/catalogue/json.js";
import { catalogueWarnings } from "../../../../src/catalogue/warnings.js";
import type { Workflow } from "../../../../src/catalogue/workflow.js";
import { newFolder } from "../../../support/new-folder.js";
import { ownWorkflowExample } from "../../../support/own-workflow.js";
import { problemsOf } from "../problems.js";

const WORKFLOW: Workflow = {
  "4": { class_type: "CLIPTextEncode", inputs: { text: "", clip: ["5:1", 0] } },
  "5:1": { class_type: "CLIPLoader", inputs: { clip_name: "a.safetensors" } },
  "6": { class_type: "EmptySD3LatentImage", inputs: { width: 1024, height: 1024 } },
  "7": { class_type: "LoadImage", inputs: { image: "example.png" } },
  "10": { class_type: "SaveImage", inputs: { images: ["4", 0] } },
};
const SIZE = { size: "object", pixels: { "1K": 1048576 } };

function catalogueWith(mapping: Readonly<Record<string, Json>>): unknown {
  const file = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
  const entry = file.models.find((model: { model_key: string }) => model.model_key === "nano-banana-2");
  const [, from] = entry.mappings.fal;
  entry.mappings = {
    comfyui: [
      {
        ...from,
        api: "workflow",
        endpoint: "mine.json",
        output: { kind: "image", files: "/10/images/*/url" },
      },
    ],
  };
  Object.assign(entry.mappings.comfyui[0], mapping);
  return file;
}

const PREFIX = "nano-banana-2: mappings.comfyui.0.";
const problems = (mapping: Readonly<Record<string, Json>>, workflow = WORKFLOW) =>
  problemsOf(() => parseCatalogue(catalogueWith(mapping), "data/catalogue.json", () => ({ workflow })))
    .filter((problem) => problem.startsWith(PREFIX))
    .map((problem) => problem.slice(PREFIX.length));

describe("a mapping on a workflow is judged with it:", () => {
  it.each<[Readonly<Record<string, Json>>, string[]]>([
    [{ input: { "4.text": "$prompt", "6": SIZE, "5:1.clip_name": "b" } }, []],
    [{ input: { "9.text": "$prompt" } }, ["input.9.text: the workflow has no node 9"]],
    [{ input: { "4.prompt": "$prompt" } }, ["input.4.prompt: node 4 (CLIPTextEncode) has no input prompt"]],
    [
      { input: { "4": SIZE } },
      [
        "input.4: node 4 (CLIPTextEncode) has no input width",
        "input.4: node 4 (CLIPTextEncode) has no input height",
      ],
    ],
    [
      { input: { "6": { object: { width: 1, depth: 2 } } } },
      ["input.6: node 6 (EmptySD3LatentImage) has no input depth"],
    ],
    [{ input: { "4": "$prompt" } }, ["input.4: only size and object give several inputs of a node"]],
    [
      { input: {}, output: { kind: "image", files: "/11/images/*/url" } },
      ["output.files: the workflow has no node 11"],
    ],
    [
      { input: { "7.image": "$reference_urls" } },
      ["input.7.image: takes one of reference_urls: limits.reference_urls must be 1"],
    ],
    [{ input: { "7.image": "$reference_urls" }, limits: { reference_urls: 1 } }, []],
  ])("%j: %j", (mapping, expected) => {
    expect(problems({ limits: {}, ...mapping })).toEqual(expected);
  });

  it("a link to a node that is not there", () => {
    const { "5:1": _, ...cut } = WORKFLOW;
    expect(problems({ input: {} }, cut)).toEqual([
      "endpoint: mine.json: 4.clip is linked to node 5:1, which it lacks",
    ]);
  });
});

describe("the interface that a mapping names is judged:", () => {
  const problemsAt = (service: string, api: string | undefined) => {
    const file = JSON.parse(readFileSync("data/catalogue.json", "utf8"));
    const entry = file.models.find((model: { model_key: string }) => model.model_key === "nano-banana-2");
    const { api: _, ...mapping } = entry.mappings.fal[0];
    entry.mappings = { [service]: [{ ...mapping, ...(api !== undefined && { api }) }] };
    return problemsOf(() => parseCatalogue(file, "data/catalogue.json"));
  };

  it.each([
    ["comfyui", undefined, 'must be "workflow" at comfyui'],
    ["comfyui", "worfklow", 'must be "workflow" at comfyui'],
    ["kie", "workflow", 'must be "market" at kie'],
    ["fal", "workflow", "fal has one interface only: leave it out"],
  ])("%s with %s", (service, api, problem) => {
    expect(problemsAt(service, api)).toEqual([`nano-banana-2: mappings.${service}.0.api: ${problem}`]);
  });

  it.each([
    ["kie", undefined],
    ["kie", "market"],
    ["elsewhere", "any"],
  ])("%s with %s is right", (service, api) => {
    expect(problemsAt(service, api)).toEqual([]);
  });
});

/** What is wrong with a catalogue file beside which `content` is its workflow. */
function problemsOfFile(content: string | undefined, endpoint = "mine.json"): readonly string[] {
  const folder = newFolder();
  const file = join(folder, "catalogue.json");
  writeFileSync(file, JSON.stringify(catalogueWith({ endpoint, input: {} })));
  mkdirSync(join(folder, "workflows"));
  if (content !== undefined) writeFileSync(join(folder, "workflows", "mine.json"), content);
  return problemsOf(() => loadCatalogue(file)).map((problem) => problem.replaceAll(folder, "FOLDER"));
}

test("workflows stand beside the catalogue file; those of the project are known to every file", () => {
  expect(problemsOfFile(JSON.stringify(WORKFLOW))).toEqual([]);
  expect(problemsOfFile(undefined, "z-image-turbo.json")).toEqual([]);
});

test.each([
  [undefined, "there is no FOLDER/workflows/mine.json"],
  ["{", "FOLDER/workflows/mine.json cannot be read: "],
  [
    JSON.stringify({ "4": { class_type: "A", inputs: {} }, nodes: [] }),
    "FOLDER/workflows/mine.json is no workflow in the API format of ComfyUI: see nodes",
  ],
])("a workflow file that cannot be used is named: %s", (content, problem) => {
  const [first = ""] = problemsOfFile(content);
  expect(first).toContain(`nano-banana-2: mappings.comfyui.0.endpoint: ${problem}`);
});

test("a workflow is a file of the folder, and no other path", () => {
  expect(problemsOfFile(undefined, "../mine.json")).toEqual([
    "nano-banana-2: mappings.comfyui.0.endpoint: must be the name of a JSON file in workflows",
  ]);
});

test("the documented example of an own workflow is whole, alone and beside the catalogue, and warns of nothing", () => {
  const file = ownWorkflowExample();
  for (const files of [file, `data/catalogue.json,${file}`]) {
    const catalogue = loadCatalogue(files);
    expect(catalogue.defaultOf("image")).toBeDefined();
    expect(catalogue.find("image", "mine")?.status).toBe("active");
    expect(catalogueWarnings(catalogue, 0, "mine")).toEqual([]);
  }
  const alone = loadCatalogue(file);
  expect(alone.defaultOf("image")?.model_key).toBe("mine");
  expect(alone.defaultOf("video")).toBeUndefined();
});
