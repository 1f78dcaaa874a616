import { createUpstreams, isServiceName, type Upstreams } from "@atelier/upstream-stand-ins";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { CatalogueEntry } from "../../src/catalogue/catalogue.js";
import { readOutputs } from "../../src/catalogue/operation.js";
import { readRequest } from "../../src/jobs/read-request.js";
import { ADAPTERS } from "../../src/providers/adapters.js";
import { catalogue, operationFor, POLLS_MAX, run } from "./at-stand-in.js";

let stand: Upstreams;
beforeAll(async () => {
  stand = await createUpstreams({ timing: { queueMs: 0, runMs: 0 }, submitLimits: {} });
});
afterAll(() => stand.close());
afterEach(() => {
  // Every test is also one of what is sent.
  expect(stand.takeBreaches()).toEqual([]);
});

function operationOf(service: string, { type, model_key }: CatalogueEntry, body: object) {
  try {
    const { request } = readRequest({ type, model_key, model: model_key, ...body }, catalogue);
    return operationFor(service, request);
  } catch {
    return undefined;
  }
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
        .map((body) => operationOf(name, entry, body))
        .filter((operation) => operation !== undefined);
      expect(operations).not.toEqual([]);
      for (const operation of operations.filter(({ endpoint }) => endpoint !== DISPUTED)) {
        const { last, kinds } = await run(stand, adapter, operation);
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
    const operation = entry && operationOf(name, entry, { prompt: `x [fault:${fault}]` });
    if (!operation) throw new Error(`${name} has no mapping`);
    return run(stand, adapter, operation);
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
