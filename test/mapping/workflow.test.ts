import { expect, test } from "vitest";
import { placeOf, type Workflow } from "../../src/catalogue/workflow.js";

const WORKFLOW: Workflow = {
  "4": { class_type: "CLIPTextEncode", inputs: { text: "", clip: ["5:1", 0] } },
  "5:1": { class_type: "CLIPLoader", inputs: { clip_name: "a.safetensors" } },
};

test.each([
  ["4.text", { node: "4", input: "text" }],
  ["5:1.clip_name", { node: "5:1", input: "clip_name" }],
  ["4.images.image0", { node: "4", input: "images.image0" }],
  ["44.text", undefined],
])("the place %s is read", (name, place) => {
  expect(placeOf(WORKFLOW, name)).toEqual(place);
});
