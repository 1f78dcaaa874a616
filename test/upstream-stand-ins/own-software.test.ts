import { expect, test } from "vitest";
import { upstreams } from "../../packages/upstream-stand-ins/test/client.js";
import { readOutputs } from "../../src/catalogue/operation.js";
import { readRequest } from "../../src/jobs/read-request.js";
import type { UpstreamAdapter } from "../../src/providers/adapter.js";
import { aceStep } from "../../src/providers/services/ace-step.js";
import { comfyui } from "../../src/providers/services/comfyui.js";
import { catalogue, operationFor, run } from "./at-stand-in.js";

const SOFTWARE = [
  [comfyui, { type: "image", model_key: "z-image-turbo" }, "prompt"],
  [aceStep, { type: "music", model_key: "music:ace-step" }, "description"],
] as const;

/** Runs a request at the stand-in. */
async function made(adapter: UpstreamAdapter, body: object) {
  const operation = operationFor(adapter.name, readRequest(body, catalogue).request);
  if (!operation) throw new Error(`no mapping of ${adapter.name} takes it`);
  const stand = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { kinds, last } = await run(stand, adapter, operation);
  expect(stand.takeBreaches()).toEqual([]);
  return { kinds, files: last?.kind === "ready" ? readOutputs(operation.output, last.document) : last?.kind };
}

const FAULTS: readonly (readonly [fault: string, kinds: readonly string[]])[] = [
  ["no-id", ["ambiguous"]],
  ["html-after-accept", ["ambiguous"]],
  ["bad-gateway-after", ["ambiguous"]],
  ["failed-at-result", ["accepted", "failed"]],
  ["poll-502:2", ["accepted", "glitch", "glitch", "ready"]],
  ["poll-html", ["accepted", "glitch", "ready"]],
  ["unknown-status", ["accepted", "glitch", "ready"]],
  // A restart empties its memory.
  ["forgotten", ["accepted", "failed"]],
];

test.each(
  SOFTWARE.flatMap(([adapter, body, text]) =>
    FAULTS.map(([fault, kinds]) => [adapter.name, fault, kinds, adapter, body, text] as const),
  ),
)("%s: %s is read as %j", async (_name, fault, kinds, adapter, body, text) => {
  const asked = { ...body, [text]: `a fox in the snow [fault:${fault}]` };
  expect((await made(adapter, asked)).kinds).toEqual(kinds);
});

test.each(SOFTWARE)(
  "$name throttles where it is full, and surely made nothing",
  async (adapter, body, text) => {
    const asked = { ...body, [text]: "a fox in the snow [fault:rate-limited]" };
    // ComfyUI itself never says so: a 503 is of something in front of it.
    expect((await made(adapter, asked)).kinds).toEqual([adapter === comfyui ? "ambiguous" : "throttled"]);
  },
);

const MUSIC = { type: "music", model_key: "music:ace-step" };
const STYLE = { custom_style: "quiet pop" };
test.each([
  [comfyui, { type: "image", model_key: "z-image-turbo", prompt: "a fox", resolution: "2K" }, 1],
  [comfyui, { type: "image", model_key: "flux-2-pro", prompt: "a fox", aspect_ratio: "16:9" }, 1],
  [aceStep, { ...MUSIC, description: "a slow song about the sea" }, 2],
  [aceStep, { ...MUSIC, description: "a slow tune of the sea", make_instrumental: true }, 2],
  [aceStep, { ...MUSIC, mode: "lyrics", lyrics: "snow on the roof, snow on the river", ...STYLE }, 2],
] as const)("$name makes what the catalogue offers: %j", async (adapter, body, count) => {
  expect((await made(adapter, body)).files).toHaveLength(count);
});

test.each(SOFTWARE)("$name gives no file where it made none", async (adapter, body, text) => {
  const { kinds, files } = await made(adapter, { ...body, [text]: "a fox in the snow [fault:no-output]" });
  expect([kinds.at(-1), files]).toEqual(["ready", undefined]);
});
