import type { Upstreams } from "@atelier/upstream-stand-ins";
import { expect, test } from "vitest";
import { upstreams } from "../../packages/upstream-stand-ins/test/client.js";
import { mappingFor, type Operation, operationOf, readOutputs } from "../../src/catalogue/operation.js";
import { readRequest } from "../../src/jobs/read-request.js";
import type { HttpAnswer } from "../../src/platform/http-exchange.js";
import type { PollOutcome, UpstreamAdapter, UpstreamCall } from "../../src/providers/adapter.js";
import { aceStep } from "../../src/providers/services/ace-step.js";
import { comfyui } from "../../src/providers/services/comfyui.js";
import { wholeCatalogue } from "../mapping/mappings.js";

const catalogue = wholeCatalogue();
const ATTEMPT = { id: "3f0c8a4e-7c55-4b0e-9b06-5d6c8a0b9f11", callbackUrl: "https://callback.invalid/" };
const POLLS_MAX = 8;
const SOFTWARE = [
  [comfyui, { type: "image", model_key: "z-image-turbo" }, "prompt"],
  [aceStep, { type: "music", model_key: "music:ace-step" }, "description"],
] as const;

function operationFor({ name }: UpstreamAdapter, body: object): Operation {
  const { entry, request } = readRequest(body, catalogue);
  const found = mappingFor(entry.mappings[name] ?? [], request);
  const context = { seed: 7, tracks: 2 };
  const operation = "mapping" in found ? operationOf(found.mapping, request, context) : found;
  if ("refusedField" in operation) throw new Error(`refused: ${operation.refusedField}`);
  return operation;
}

async function send(stand: Upstreams, { method, url, json }: UpstreamCall): Promise<HttpAnswer> {
  const { pathname, search } = new URL(url);
  const body = json !== undefined && {
    body: JSON.stringify(json),
    headers: { "content-type": "application/json" },
  };
  const response = await fetch(`${stand.url}${pathname}${search}`, { method, ...body });
  const { status, headers } = response;
  return { status, headers: new Map(headers), text: await response.text(), fault: undefined };
}

/** Submits, and asks until the task has ended, at most a few times. */
async function run(adapter: UpstreamAdapter, operation: Operation) {
  const stand = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const call = adapter.submit(operation, ATTEMPT);
  const submitted = adapter.readSubmit(await send(stand, call), operation);
  const kinds: string[] = [submitted.kind];
  let last: PollOutcome | undefined;
  for (let polls = 0; submitted.kind === "accepted" && polls < POLLS_MAX; polls += 1) {
    let next = { call: adapter.poll(submitted.reference), reference: submitted.reference };
    for (;;) {
      last = adapter.readPoll(await send(stand, next.call), next.reference);
      if (last.kind !== "next") break;
      next = last;
    }
    kinds.push(last.kind);
    if (["ready", "refused", "failed"].includes(last.kind)) break;
  }
  expect(stand.takeBreaches()).toEqual([]);
  return { kinds, last };
}

const FAULTS: readonly (readonly [fault: string, kinds: readonly string[]])[] = [
  ["rate-limited", []],
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
    FAULTS.filter(([, kinds]) => kinds.length > 0).map(
      ([fault, kinds]) => [adapter.name, fault, kinds, adapter, body, text] as const,
    ),
  ),
)("%s: %s is read as %j", async (_name, fault, kinds, adapter, body, text) => {
  const operation = operationFor(adapter, { ...body, [text]: `a fox in the snow [fault:${fault}]` });
  expect((await run(adapter, operation)).kinds).toEqual(kinds);
});

test.each(SOFTWARE)(
  "$name throttles where it is full, and surely made nothing",
  async (adapter, body, text) => {
    const operation = operationFor(adapter, { ...body, [text]: "a fox in the snow [fault:rate-limited]" });
    // ComfyUI itself never says so: a 503 is of something in front of it.
    expect((await run(adapter, operation)).kinds).toEqual([adapter === comfyui ? "ambiguous" : "throttled"]);
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
  const operation = operationFor(adapter, body);
  const { last } = await run(adapter, operation);
  if (last?.kind !== "ready") throw new Error(last?.kind);
  expect(readOutputs(operation.output, last.document)).toHaveLength(count);
});

test.each(SOFTWARE)("$name gives no file where it made none", async (adapter, body, text) => {
  const operation = operationFor(adapter, { ...body, [text]: "a fox in the snow [fault:no-output]" });
  const { last } = await run(adapter, operation);
  if (last?.kind !== "ready") throw new Error(last?.kind);
  expect(readOutputs(operation.output, last.document)).toBeUndefined();
});
