import { describe, expect, test } from "vitest";
import { aceStepDialect } from "../../packages/upstream-stand-ins/src/ace-step.js";
import { comfyuiDialect } from "../../packages/upstream-stand-ins/src/comfyui.js";
import { findRoute, isAnswer } from "../../packages/upstream-stand-ins/src/dialect.js";
import { falDialect } from "../../packages/upstream-stand-ins/src/fal.js";
import { kieDialect } from "../../packages/upstream-stand-ins/src/kie.js";
import { openaiDialect } from "../../packages/upstream-stand-ins/src/openai.js";
import { polzaDialect } from "../../packages/upstream-stand-ins/src/polza.js";
import { replicateDialect } from "../../packages/upstream-stand-ins/src/replicate.js";
import { UpstreamState } from "../../packages/upstream-stand-ins/src/state.js";
import type { Operation } from "../../src/catalogue/operation.js";
import { systemClock } from "../../src/platform/clock.js";
import { bodies, FILE_LINKS, requestOf } from "../mapping/mappings.js";
import fc from "../support/fast-check.js";
import { catalogue, operationFor } from "./at-stand-in.js";

const SERVICES = ["fal", "kie", "polza", "openai", "replicate", "comfyui", "ace_step"] as const;

const SEED = 1;
const state = new UpstreamState({
  clock: systemClock,
  timing: { queueMs: 0, runMs: 0 },
  keys: {},
  submitLimits: {},
});
const dialects = {
  fal: falDialect(state),
  kie: kieDialect(state),
  polza: polzaDialect(state),
  openai: openaiDialect(state),
  replicate: replicateDialect(state),
  comfyui: comfyuiDialect(state),
  ace_step: aceStepDialect(state),
};
// A workflow loads what was uploaded, under its name.
for (const fileName of FILE_LINKS) {
  state.addUpload({ id: fileName, service: "comfyui", fileName, mime: "image/png", base64: "" });
}

const PICTURE_PART = {
  name: "image[]",
  fileName: "a.png",
  mime: "image/png",
  bytes: Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
};

interface DescribedCall {
  path: string;
  json: Record<string, unknown>;
  files?: readonly (typeof PICTURE_PART)[];
}

/** The call that the references describe for an operation. */
function callOf(service: (typeof SERVICES)[number], { api, endpoint, input }: Operation): DescribedCall {
  const callBackUrl = "https://callback.invalid/";
  if (service === "fal") return { path: `/${endpoint}`, json: { ...input } };
  if (service === "comfyui") return { path: "/prompt", json: { prompt: input } };
  if (service === "ace_step") return { path: "/release_task", json: { model: endpoint, ...input } };
  if (service === "polza") return { path: "/api/v1/media", json: { model: endpoint, input, async: true } };
  if (service === "replicate") return { path: `/v1/models/${endpoint}/predictions`, json: { input } };
  if (service === "openai") {
    const { image = [], ...fields } = input;
    const files = (Array.isArray(image) ? image : []).map(() => PICTURE_PART);
    return { path: `/v1/images/${api}`, json: { model: endpoint, ...fields, n: 1 }, files };
  }
  return { path: "/api/v1/jobs/createTask", json: { model: endpoint, callBackUrl, input } };
}

/** What the service would refuse or drop, in words. */
function breachesOf(service: (typeof SERVICES)[number], operation: Operation): string[] {
  const { path, json, files = [] } = callOf(service, operation);
  const { route, named = "" } = findRoute(dialects[service], "POST", path) ?? {};
  if (route?.kind !== "submit") return [`no path ${path}`];
  const bytes = Buffer.alloc(0);
  const call = {
    method: "POST",
    path,
    named,
    query: new URLSearchParams(),
    headers: {},
    root: "",
    files,
    bytes,
    json,
  };
  const read = route.read(call);
  if (isAnswer(read)) return [`${operation.endpoint}: ${JSON.stringify(read.json)}`];
  const { problems, unknown } = read.judgement;
  return [
    ...unknown.map((field) => `${operation.endpoint}: unknown field ${field}`),
    ...problems.map(({ field, kind, expected }) => `${operation.endpoint}: ${field}: ${kind} ${expected}`),
  ];
}

describe.each(catalogue.entries.filter(({ mappings }) => Object.keys(mappings).length > 0))(
  "$model_key",
  (entry) => {
    test.each(SERVICES.filter((service) => entry.mappings[service]))(
      "what is sent to %s is what its reference describes",
      (service) => {
        const breaches = new Set<string>();
        // Services may count the units of a text otherwise than we do.
        for (const body of fc.sample(bodies(entry, "grapheme-ascii"), { numRuns: 400, seed: SEED })) {
          const request = requestOf(body, catalogue);
          const operation = request && operationFor(service, request);
          if (!operation) continue;
          for (const breach of breachesOf(service, operation)) breaches.add(breach);
        }
        expect([...breaches].sort()).toEqual([]);
      },
    );
  },
);
