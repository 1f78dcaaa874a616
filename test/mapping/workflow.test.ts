import { expect, test } from "vitest";
import { operationOf } from "../../src/catalogue/operation.js";
import { boundWorkflow, placeOf, type Workflow } from "../../src/catalogue/workflow.js";
import { mappingOf } from "../support/service-mappings.js";
import { CONTEXT, imageRequest } from "./mappings.js";

const WORKFLOW: Workflow = {
  "4": { class_type: "CLIPTextEncode", inputs: { text: "", clip: ["5:1", 0] }, _meta: { title: "Prompt" } },
  "5:1": { class_type: "CLIPLoader", inputs: { clip_name: "a.safetensors" } },
  "6": { class_type: "EmptySD3LatentImage", inputs: { width: 1, height: 1, batch_size: 1 } },
  "7": { class_type: "LoadImage", inputs: { image: "example.png" } },
};

test.each([
  ["4.text", { node: "4", input: "text" }],
  ["5:1.clip_name", { node: "5:1", input: "clip_name" }],
  ["4.images.image0", { node: "4", input: "images.image0" }],
  ["6", { node: "6" }],
  ["44.text", undefined],
])("the place %s is read", (name, place) => {
  expect(placeOf(WORKFLOW, name)).toEqual(place);
});

test("values take their places, and the rest stays as it was exported", () => {
  const before = structuredClone(WORKFLOW);
  const bound = boundWorkflow(WORKFLOW, {
    "4.text": "a fox",
    "6": { width: 768, height: 512 },
    "7.image": ["atelier/1.png"],
  });
  expect(bound).toEqual({
    ...WORKFLOW,
    "4": { ...WORKFLOW["4"], inputs: { text: "a fox", clip: ["5:1", 0] } },
    "6": { class_type: "EmptySD3LatentImage", inputs: { width: 768, height: 512, batch_size: 1 } },
    "7": { class_type: "LoadImage", inputs: { image: "atelier/1.png" } },
  });
  expect(WORKFLOW).toEqual(before);
});

test("the operation of a mapping on a workflow is the whole workflow", () => {
  const mapping = { ...mappingOf({ api: "workflow", endpoint: "a.json", input: { "4.text": "$prompt" } }) };
  const operation = operationOf({ ...mapping, workflow: WORKFLOW }, imageRequest(), CONTEXT);
  if ("refusedField" in operation) throw new Error(operation.refusedField);
  expect(operation).toMatchObject({ api: "workflow", endpoint: "a.json" });
  expect(operation.input).toEqual(boundWorkflow(WORKFLOW, { "4.text": "a fox" }));
});
