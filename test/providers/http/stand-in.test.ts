import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createUpstreams, type FaultName, isServiceName, type Upstreams } from "@atelier/upstream-stand-ins";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Operation, readOutputs } from "../../../src/catalogue/operation.js";
import { systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter } from "../../../src/providers/adapter.js";
import { openServiceIo } from "../../../src/providers/service-io.js";
import { fal } from "../../../src/providers/services/fal.js";
import { kie } from "../../../src/providers/services/kie.js";
import { openai } from "../../../src/providers/services/openai.js";
import { polza } from "../../../src/providers/services/polza.js";
import { replicate } from "../../../src/providers/services/replicate.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";
import { inspector } from "../../support/inspector.js";
import { never, newDirectory, plainPicture } from "../../support/render-tasks.js";
import { operation } from "./answer.js";

const ATTEMPT = { id: "8b7d9f7e-0d0c-4a55-9c39-3a1f0b2a6b10", callbackUrl: "https://ours.invalid/hooks/kie" };
const output = (kind: Operation["output"]["kind"], files: string) =>
  ({ kind, files, encoding: "url" }) as const;

/** Requests as the services' references show them. `LINK` stands for a picture that is given to the service. */
const REQUESTS: Readonly<Record<string, { adapter: UpstreamAdapter; asked: Partial<Operation> }>> = {
  "fal, a picture": {
    adapter: fal,
    asked: {
      endpoint: "google/nano-banana-2.1",
      input: { prompt: "a cat", resolution: "1K" },
      output: output("image", "/images/*/url"),
      unit: { amount: 0.08, currency: "USD" },
    },
  },
  "fal, a picture of pictures": {
    adapter: fal,
    asked: {
      endpoint: "google/nano-banana-2.1/edit",
      input: { prompt: "a cat", image_urls: ["LINK"] },
      output: output("image", "/images/*/url"),
    },
  },
  "kie, a picture of pictures": {
    adapter: kie,
    asked: {
      api: "market",
      endpoint: "nano-banana-2-1",
      input: { prompt: "a cat", image_input: ["LINK"], output_format: "png" },
      output: output("image", "/resultUrls/*"),
    },
  },
  "kie, songs": {
    adapter: kie,
    asked: {
      api: "market",
      endpoint: "ai-music-api/generate",
      input: { model: "V6", prompt: "a calm song", custom_mode: false, instrumental: false },
      output: {
        ...output("audio", "/data/*/audio_url"),
        covers: "/data/*/image_url",
        titles: "/data/*/title",
        durations: "/data/*/duration",
      },
    },
  },
  "polza, a picture": {
    adapter: polza,
    asked: {
      endpoint: "x-ai/grok-imagine-image",
      input: { prompt: "a cat", aspect_ratio: "1:1" },
      output: output("image", "/data/*/url"),
    },
  },
  "openai, a picture": {
    adapter: openai,
    asked: {
      endpoint: "gpt-image-2.5-flare",
      input: { prompt: "a cat", size: "1024x1024", quality: "low", output_format: "webp" },
      output: output("image", "/data/*/url"),
    },
  },
  "openai, a picture of pictures": {
    adapter: openai,
    asked: {
      api: "edits",
      endpoint: "gpt-image-2.5-flare",
      input: { prompt: "a cat", size: "1024x1024", quality: "low", output_format: "webp", image: ["LINK"] },
      output: output("image", "/data/*/url"),
    },
  },
  "replicate, a picture": {
    adapter: replicate,
    asked: {
      endpoint: "google/nano-banana-2.1",
      input: { prompt: "a cat", resolution: "1K", aspect_ratio: "1:1" },
      output: output("image", "/output/0"),
    },
  },
  "replicate, a picture of pictures": {
    adapter: replicate,
    asked: {
      endpoint: "openai/gpt-image-2.5-flare",
      input: { prompt: "a cat", input_images: ["LINK"], quality: "low", number_of_images: 1 },
      output: output("image", "/output/0"),
    },
  },
};

/** One service behind the stand-in, without the driver: its calls are sent as the adapter says. */
async function openService(adapter: UpstreamAdapter) {
  const stand = await createUpstreams();
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

async function withLinks({ references }: OpenService, asked: Partial<Operation>): Promise<Operation> {
  const path = join(await newDirectory(), "reference-0");
  await writeFile(path, plainPicture("#e01010", 512, 512));
  const text = JSON.stringify(asked);
  const [link = ""] = text.includes("LINK") ? await references.publish([path], never) : [];
  return operation(JSON.parse(text.replaceAll("LINK", link)));
}

async function submit({ adapter, calls }: OpenService, asked: Operation): Promise<SubmitOutcome> {
  return adapter.readSubmit(await calls.submit(adapter.submit(asked, ATTEMPT)), asked);
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

async function make(service: OpenService, given: Partial<Operation>): Promise<readonly GeneratedFile[]> {
  const asked = await withLinks(service, given);
  const outcome = await outcomeOf(service, await submit(service, asked));
  if (outcome.kind !== "ready") throw new Error(JSON.stringify(outcome));
  const files = readOutputs(asked.output, outcome.document) ?? [];
  return service.outputs.fetch(files, await newDirectory(), never);
}

test.each(Object.entries(REQUESTS))("%s is made through the whole way", async (_name, { adapter, asked }) => {
  const service = await openService(adapter);
  const made = await make(service, asked);
  expect(made.length).toBeGreaterThan(0);
  const mime = asked.output?.kind === "audio" ? "audio/mpeg" : "image/webp";
  expect(made[0]).toMatchObject({ mime });
  expect(service.stand.ledger).toHaveLength(1);
  expect(service.stand.breaches).toEqual([]);
});

test("songs come with titles, lengths and covers", async () => {
  const service = await openService(kie);
  const made = await make(service, REQUESTS["kie, songs"]?.asked ?? {});
  expect(made.map(({ mime }) => mime)).toEqual(["audio/mpeg", "image/jpeg", "audio/mpeg", "image/jpeg"]);
  expect(made[0]).toMatchObject({ title: expect.any(String), durationSec: expect.any(Number) });
});

/** @param times how many requests it strikes */
function order(stand: Upstreams, fault: FaultName, times = 1): void {
  stand.order({ fault, times });
}

const { adapter: some, asked } = REQUESTS["fal, a picture"] ?? { adapter: fal, asked: {} };

describe("with an outage", () => {
  test.each<FaultName>(["wrong-mime", "cut-download"])(
    "%s the picture is made all the same",
    async (fault) => {
      const service = await openService(some);
      order(service.stand, fault);
      expect(await make(service, asked)).toMatchObject([{ mime: "image/webp" }]);
    },
  );

  test.each<[FaultName, string]>([
    ["zero-byte", "not_media"],
    ["wrong-kind", "not_media"],
    ["huge-output", "too_large"],
    ["redirect", "forbidden_host"],
    ["foreign-output", "forbidden_host"],
    ["gone-output", "expired"],
  ])("%s the result is not taken: %s", async (fault, reason) => {
    const service = await openService(some);
    order(service.stand, fault, 3);
    await expect(make(service, asked)).rejects.toMatchObject({ fault: reason });
  });
});

test.each([fal, kie, polza, openai, replicate])(
  "the probe of $name sees the state of the account",
  async (adapter) => {
    const { stand, calls } = await openService(adapter);
    const probe = async () => adapter.probe.read(await calls.ask(adapter.probe.call), "key_refused");
    expect(await probe()).toMatchObject({ kind: "good" });
    if (!isServiceName(adapter.name)) throw new Error(adapter.name);
    stand.setAccount(adapter.name, "wrong-key");
    expect(await probe()).toEqual({ kind: "paused", reason: "key_refused" });
  },
);

test.each(["fal, a picture", "replicate, a picture"])(
  "a doubtful submit of %s is found in the service's list, by its body",
  async (name) => {
    const { adapter = fal, asked: given = {} } = REQUESTS[name] ?? {};
    const service = await openService(adapter);
    const asked = operation(given);
    const submittedAt = Date.now();
    order(service.stand, "bad-gateway-after");
    expect((await submit(service, asked)).kind).toBe("ambiguous");
    const attempt = { id: ATTEMPT.id, operation: asked, submittedAt, askedForMs: 0, taken: [] };
    const call = adapter.lookUp?.(attempt);
    if (!call) throw new Error("no look-up");
    const look = async () => adapter.readLookUp?.(await service.calls.ask(call), attempt, Date.now());
    // That of fal has it when it has ended.
    let found = await look();
    while (found?.kind === "unknown") found = await look();
    if (found?.kind !== "found") throw new Error(found?.kind);
    expect(await outcomeOf(service, { kind: "accepted", reference: found.reference })).toMatchObject({
      kind: "ready",
    });
  },
);

test.each([fal, kie, polza])("the balance of $name follows the switch of its account", async (adapter) => {
  const { stand, calls } = await openService(adapter);
  const balance = async () => {
    for (const { call, read } of adapter.balance?.questions ?? []) {
      const told = read(await calls.ask(call));
      if (told !== undefined) return told;
    }
    throw new Error("no balance");
  };
  if (!isServiceName(adapter.name)) throw new Error(adapter.name);
  stand.setAccount(adapter.name, "no-credit");
  const without = await balance();
  expect(without).toBeLessThan(5);
  stand.setAccount(adapter.name, "good");
  expect(await balance()).toBeGreaterThan(5);
});
