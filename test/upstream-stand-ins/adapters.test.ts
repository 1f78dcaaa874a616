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
/** Software of the operator has no account and no policy, and a restart empties its memory. */
const OWN: readonly string[] = ["comfyui", "ace_step"];
const asked = ADAPTERS.filter(({ name }) => isServiceName(name) && name !== SYNCHRONOUS);

/** The kind of the last outcome of a task that meets a fault. */
const FAULTS: readonly (readonly [fault: string, kind: string | RegExp])[] = [
  ["failed-at-result", "failed"],
  ["no-id", "ambiguous"],
  ["html-after-accept", "ambiguous"],
  ["bad-gateway-after", "ambiguous"],
  ["bad-gateway-before", "ambiguous"],
  ["poll-502:2", "ready"],
  ["poll-html", "ready"],
  ["unknown-status", "ready"],
];
const FAULTS_OF_SHOPS: typeof FAULTS = [
  ["policy-at-submit", "refused"],
  ["policy-at-result", "refused"],
  ["no-credit", "paused"],
  ["locked", /^(?:paused|suspected)$/],
  ["wrong-key", /^(?:paused|suspected)$/],
  ["late-record", "ready"],
  ["poll-429", "ready"],
];

/** What a task meets on the way that ends well all the same. */
const MET: Readonly<Record<string, string>> = {
  "poll-502:2": "glitch",
  "poll-html": "glitch",
  "unknown-status": "glitch",
  "poll-429": "throttled",
};

describe.each(asked.map((adapter) => [adapter.name, adapter] as const))("%s", (name, adapter) => {
  const served = catalogue.entries.filter(({ mappings }) => mappings[name]);
  const isOwn = OWN.includes(name);

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
        for (const { source } of files) {
          if (!("url" in source)) throw new Error("no address");
          expect(new URL(source.url, isOwn ? stand.url : undefined).origin).toBe(stand.url);
        }
      }
    },
  );

  /** Runs a task of each kind that the service makes. */
  const runsWith = async (fault: string) => {
    const runs = await Promise.all(
      Object.keys(BODIES).flatMap((type) => {
        const text = type === "music" ? "description" : "prompt";
        const body = { [text]: `x [fault:${fault}]` };
        const operation = served
          .filter((entry) => entry.type === type)
          .flatMap((entry) => operationOf(name, entry, body) ?? [])
          .at(0);
        return operation ? run(stand, adapter, operation).then((made) => ({ ...made, operation })) : [];
      }),
    );
    expect(runs).not.toEqual([]);
    return runs;
  };

  test.each([...FAULTS, ...(isOwn ? [] : FAULTS_OF_SHOPS)])(
    "reads %s in the end as %s",
    async (fault, kind) => {
      for (const { kinds } of await runsWith(fault)) {
        expect(kinds.at(-1)).toMatch(kind);
        expect(kinds.join()).toMatch(MET[fault] ?? kind);
      }
    },
  );

  test("finds no file in a result without one", async () => {
    for (const { last, operation } of await runsWith("no-output")) {
      if (last?.kind !== "ready") throw new Error(`not ready: ${last?.kind}`);
      expect(readOutputs(operation.output, last.document)).toBeUndefined();
    }
  });

  test("never takes a forgotten task for one that ended", async () => {
    const ends = isOwn ? ["failed"] : Array(POLLS_MAX).fill("unknown_task");
    for (const { kinds } of await runsWith("forgotten")) expect(kinds).toEqual(["accepted", ...ends]);
  });
});
