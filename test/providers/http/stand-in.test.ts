import { createUpstreams, type UpstreamsOptions } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { type Operation, readOutputs } from "../../../src/catalogue/operation.js";
import { readRequest } from "../../../src/jobs/read-request.js";
import { systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter } from "../../../src/providers/adapter.js";
import { openServiceIo } from "../../../src/providers/service-io.js";
import { aceStep } from "../../../src/providers/services/ace-step.js";
import { comfyui } from "../../../src/providers/services/comfyui.js";
import { fal } from "../../../src/providers/services/fal.js";
import { kie } from "../../../src/providers/services/kie.js";
import { openai } from "../../../src/providers/services/openai.js";
import { polza } from "../../../src/providers/services/polza.js";
import { replicate } from "../../../src/providers/services/replicate.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";
import { inspector } from "../../support/inspector.js";
import { never, newDirectory, newFiles, plainPicture } from "../../support/render-tasks.js";
import { catalogue, operationFor } from "../../upstream-stand-ins/at-stand-in.js";

const ATTEMPT = { id: "8b7d9f7e-0d0c-4a55-9c39-3a1f0b2a6b10", callbackUrl: "https://ours.invalid/hooks/kie" };
const LINK = "https://files.example/1.png";
const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a cat" };
const EDIT = { ...PICTURE, reference_urls: [LINK] };
const SONG = { type: "music", model_key: "music:suno-v6", description: "a calm song" };
const OWN_EDIT = { ...EDIT, model_key: "flux-2-pro", aspect_ratio: "auto" };
const GPT = { ...PICTURE, model_key: "gpt-image-2-5" };

/** One service behind the stand-in, without the driver: its calls are sent as the adapter says. */
async function openService(adapter: UpstreamAdapter, options: UpstreamsOptions = {}) {
  const stand = await createUpstreams({ keys: { ace_step: "secret" }, ...options });
  const root = new URL(adapter.basePath ?? "", stand.url);
  const ground = { clock: systemClock, ids: systemIds };
  const io = openServiceIo({ adapter, key: "secret", root, inspector, ...ground });
  onTestFinished(async () => {
    await io.close();
    await stand.close();
  });
  return { adapter, stand, ...io };
}

type OpenService = Awaited<ReturnType<typeof openService>>;

/** The operation of a body, with a picture that was given to the service in the place of `LINK`. */
async function operationOf({ adapter, references }: OpenService, body: object): Promise<Operation> {
  const operation = operationFor(adapter.name, readRequest(body, catalogue).request);
  if (!operation) throw new Error("no mapping takes it");
  const text = JSON.stringify(operation);
  if (!text.includes(LINK)) return operation;
  const [link = ""] = await references.publish(await newFiles(plainPicture("#e01010", 512, 512)), never);
  return JSON.parse(text.replaceAll(LINK, link)) as Operation;
}

/** Looks until the task has ended. */
async function outcomeOf(service: OpenService, submitted: SubmitOutcome): Promise<PollOutcome> {
  if (submitted.kind === "ready") return submitted;
  if (submitted.kind !== "accepted") throw new Error(`${submitted.kind}: ${submitted.detail}`);
  const { adapter, calls } = service;
  const { reference } = submitted;
  for (;;) {
    let outcome = adapter.readPoll(await calls.ask(adapter.poll(reference)), reference);
    while (outcome.kind === "next")
      outcome = adapter.readPoll(await calls.ask(outcome.call), outcome.reference);
    if (!["pending", "glitch", "throttled", "unknown_task"].includes(outcome.kind)) return outcome;
  }
}

async function make(service: OpenService, body: object): Promise<readonly GeneratedFile[]> {
  const { adapter, calls } = service;
  const asked = await operationOf(service, body);
  const submitted = adapter.readSubmit(await calls.submit(adapter.submit(asked, ATTEMPT)), asked);
  const outcome = await outcomeOf(service, submitted);
  if (outcome.kind !== "ready") throw new Error(JSON.stringify(outcome));
  const files = readOutputs(asked.output, outcome.document) ?? [];
  return service.outputs.fetch(files, await newDirectory(), never);
}

test.each<{ adapter: UpstreamAdapter; of: string; body: object }>([
  { adapter: fal, of: "a picture", body: EDIT },
  { adapter: kie, of: "a picture", body: EDIT },
  { adapter: polza, of: "a picture", body: EDIT },
  { adapter: openai, of: "a picture", body: { ...GPT, reference_urls: [LINK] } },
  { adapter: replicate, of: "a picture", body: EDIT },
  { adapter: comfyui, of: "a picture", body: OWN_EDIT },
])("a picture of $of is made through the whole way at $adapter.name", async ({ adapter, body }) => {
  const service = await openService(adapter);
  expect(await make(service, body)).toMatchObject([{ mime: "image/webp" }]);
  expect(service.stand.ledger).toHaveLength(1);
  expect(service.stand.breaches).toEqual([]);
});

test.each([11, 12, 13, 14])(
  "a prompt that leaves the queue of comfyui while it is asked, after %i ms, is not lost",
  async (queueMs) => {
    let now = 0;
    // Time goes on between any two reads of it.
    const clock = { ...systemClock, now: () => ++now };
    const service = await openService(comfyui, { clock, timing: { queueMs, runMs: 1000 } });
    expect(await make(service, { ...PICTURE, model_key: "flux-2-pro" })).toHaveLength(1);
  },
);

test("tracks of software that wants a key are given to it", async () => {
  const service = await openService(aceStep);
  const made = await make(service, { ...SONG, model_key: "music:ace-step" });
  expect(made.map(({ mime }) => mime)).toEqual(["audio/mpeg", "audio/mpeg"]);
  expect(service.stand.breaches).toEqual([]);
});
