import { createUpstreams, isServiceName, type Upstreams } from "@atelier/upstream-stand-ins";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type CatalogueEntry, loadCatalogue } from "../../src/catalogue/catalogue.js";
import { mappingFor, type Operation, operationOf, readOutputs } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { readRequest } from "../../src/jobs/read-request.js";
import type { HttpAnswer } from "../../src/platform/http-exchange.js";
import type { PollOutcome, UpstreamAdapter, UpstreamCall } from "../../src/providers/adapter.js";
import { ADAPTERS } from "../../src/providers/adapters.js";

const catalogue = loadCatalogue("data/catalogue.json");
const CALLBACK_URL = "https://callback.invalid/";
const ATTEMPT = { id: "3f0c8a4e-7c55-4b0e-9b06-5d6c8a0b9f11", callbackUrl: CALLBACK_URL };
const POLLS_MAX = 8;

let stand: Upstreams;
beforeAll(async () => {
  stand = await createUpstreams({ timing: { queueMs: 0, runMs: 0 }, submitLimits: {} });
});
afterAll(() => stand.close());
afterEach(() => {
  // Every test is also one of what is sent.
  expect(stand.takeBreaches()).toEqual([]);
});

async function send(
  adapter: UpstreamAdapter,
  { method, url, headers, json }: UpstreamCall,
): Promise<HttpAnswer> {
  const { pathname, search } = new URL(url);
  const isJson = json !== undefined;
  const response = await fetch(`${stand.url}${pathname}${search}`, {
    method,
    headers: {
      ...adapter.headers("stand-in"),
      ...headers,
      ...(isJson && { "content-type": "application/json" }),
    },
    ...(isJson && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: new Map(response.headers), text, fault: undefined };
}

interface Run {
  /** The kinds of all outcomes, the submit's first. */
  kinds: string[];
  last: PollOutcome | undefined;
}

/** Submits, and asks until the task has ended, at most a few times. */
async function run(adapter: UpstreamAdapter, operation: Operation): Promise<Run> {
  const submitted = adapter.readSubmit(await send(adapter, adapter.submit(operation, ATTEMPT)), operation);
  const kinds: string[] = [submitted.kind];
  if (submitted.kind !== "accepted") return { kinds, last: undefined };
  let { reference } = submitted;
  let call = adapter.poll(reference);
  let last: PollOutcome | undefined;
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    last = adapter.readPoll(await send(adapter, call), reference);
    kinds.push(last.kind);
    if (["ready", "refused", "failed"].includes(last.kind)) break;
    if (last.kind === "next") ({ reference, call } = last);
  }
  return { kinds, last };
}

function operationFor(service: string, entry: CatalogueEntry, body: object): Operation | undefined {
  const { type, model_key } = entry;
  let request: GenerationRequest;
  try {
    ({ request } = readRequest({ type, model_key, model: model_key, ...body }, catalogue));
  } catch {
    return undefined;
  }
  const found = mappingFor(entry.mappings[service] ?? [], request);
  if (!("mapping" in found)) return undefined;
  const operation = operationOf(found.mapping, request, { seed: 7, tracks: 2 });
  return "refusedField" in operation ? undefined : operation;
}

const LINKS = ["https://files.example.com/1.png", "https://files.example.com/2.png"];
const [start, end] = LINKS;
const prompt = "a fox in the snow at dawn, painted with care";
const LYRICS = "snow on the roof and snow on the river";

const BODIES = {
  image: [
    { prompt },
    { prompt, reference_urls: LINKS },
    { prompt, generation_mode: "quality" },
    { prompt, resolution: "2K" },
  ],
  video: [
    { prompt },
    { prompt, start_frame_url: start },
    { prompt, start_frame_url: start, end_frame_url: end },
    { prompt, video_input_mode: "references", reference_urls: LINKS },
    { prompt, sound: true },
    { prompt, sound: true, video_speed_mode: "fast", duration_sec: 8 },
  ],
  music: [
    { description: prompt },
    { description: prompt, make_instrumental: true },
    { mode: "lyrics", lyrics: LYRICS, custom_style: "quiet pop", title: "Snow" },
  ],
} as const;

/** Its reference asks for lyrics that a description does not give: see DISPUTED of the catalogue's test. */
const DISPUTED = "fal-ai/minimax-music/v2.6";

/** Its answers hold the files, and there is nothing to ask: see stand-in.test.ts of the adapters. */
const SYNCHRONOUS = "openai";
/** Software of the operator has no account: see own-software.test.ts. */
const OWN: readonly string[] = ["comfyui", "ace_step"];
const mappingd = ADAPTERS.filter(
  ({ name }) =>
    isServiceName(name) &&
    name !== SYNCHRONOUS &&
    !OWN.includes(name) &&
    catalogue.entries.some(({ mappings }) => mappings[name]),
);

describe.each(mappingd.map((adapter) => [adapter.name, adapter] as const))("%s", (name, adapter) => {
  const served = catalogue.entries.filter(({ mappings }) => mappings[name]);

  test.each(served.map((entry) => [entry.model_key, entry] as const))(
    "makes the files of %s",
    async (_, entry) => {
      const operations = BODIES[entry.type]
        .map((body) => operationFor(name, entry, body))
        .filter((operation) => operation !== undefined);
      expect(operations).not.toEqual([]);
      for (const operation of operations.filter(({ endpoint }) => endpoint !== DISPUTED)) {
        const { last, kinds } = await run(adapter, operation);
        if (last?.kind !== "ready") throw new Error(`${operation.endpoint}: ${kinds.join()}`);
        const files = readOutputs(operation.output, last.document) ?? [];
        expect(files).not.toEqual([]);
        for (const { source } of files)
          expect("url" in source && source.url.startsWith(stand.url)).toBe(true);
      }
    },
  );

  const entry = served.find(
    ({ model_key }) => model_key === (name === "polza" ? "grok-imagine" : "nano-banana-2"),
  );
  const withFault = async (fault: string) => {
    const operation = entry && operationFor(name, entry, { prompt: `x [fault:${fault}]` });
    if (!operation) throw new Error(`${name} has no mapping`);
    return run(adapter, operation);
  };

  test.each([
    ["policy-at-submit", "refused"],
    ["late-record", "ready"],
    ["poll-502:2", "ready"],
    ["poll-html", "ready"],
    ["poll-429", "ready"],
    ["unknown-status", "ready"],
  ])("reads %s in the end as %s", async (fault, kind) => {
    expect((await withFault(fault)).kinds.at(-1)).toBe(kind);
  });

  test("finds no file in a result without one", async () => {
    const { last } = await withFault("no-output");
    const output = entry?.mappings[name]?.[0]?.output;
    if (last?.kind !== "ready" || !output) throw new Error(`not ready: ${last?.kind}`);
    expect(readOutputs(output, last.document)).toBeUndefined();
  });

  test("never takes a forgotten task for one that ended", async () => {
    const { kinds } = await withFault("forgotten");
    expect(kinds).toEqual(["accepted", ...Array(POLLS_MAX).fill("unknown_task")]);
  });
});
