import { createUpstreams, type UpstreamsOptions } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished } from "vitest";
import { type CatalogueEntry, loadCatalogue } from "../../../src/catalogue/catalogue.js";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { mappingFor } from "../../../src/catalogue/operation.js";
import { type Clock, systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import { integer } from "../../../src/platform/integer.js";
import { ADAPTERS } from "../../../src/providers/adapters.js";
import { inspector } from "../../../test/support/inspector.js";
import { newDirectory } from "../../../test/support/render-tasks.js";
import { type Recording, readRecordings, replay } from "../src/recording.js";
import { run, type Setup } from "../src/run.js";

export const KEY = "fal-key:0f3d/21+9a==";
const POLL: Mapping["poll"] = { first_ms: 100, every_ms: [100], deadline_sec: 10 };
/** How much faster than time the clock runs, so that deadlines pass quickly. */
const SPEED = 20;

const { entries, rates } = loadCatalogue("data/catalogue.json");

/** The mappings of the catalogue, with short pauses. */
export const quickEntries: readonly CatalogueEntry[] = entries.map((entry) => ({
  ...entry,
  mappings: Object.fromEntries(
    Object.entries(entry.mappings).map(([name, mappings]) => [
      name,
      mappings.map((mapping) => ({ ...mapping, poll: POLL })),
    ]),
  ),
}));

function quickClock(): Clock {
  const start = Date.now();
  return {
    now: () => integer(start + (Date.now() - start) * SPEED),
    monotonic: () => (Date.now() - start) * SPEED,
    after: (ms, fire) => systemClock.after(ms / SPEED, fire),
  };
}

/** `npm run upstream:check` against the stand-in. */
export async function openCheck(options: UpstreamsOptions = {}) {
  const stand = await createUpstreams(options);
  onTestFinished(() => stand.close());
  const folder = await newDirectory();
  const stopping = new AbortController();

  async function check(line: string, change: Partial<Setup> = {}) {
    const lines: string[] = [];
    const setUp = () => ({
      entries: quickEntries,
      rates,
      doubts: [],
      key: KEY,
      root: new URL(stand.url),
      inspector,
      clock: quickClock(),
      ids: systemIds,
      ...change,
    });
    const code = await run(line.split(" "), setUp, (text) => void lines.push(text), stopping.signal);
    return { code, text: lines.join("\n") };
  }

  return { stand, folder, stopping, check, recordings: () => readRecordings(folder) };
}

const MAPPING: Omit<Mapping, "endpoint" | "input"> = {
  when: { video_input_mode: ["text"] },
  ignores: {},
  output: { kind: "video", files: "/data/0/url", encoding: "url" },
  limits: {},
  minima: {},
  poll: POLL,
  source: "https://a.test/",
  checked: "2026-11-23",
};
const INPUT: Mapping["input"] = {
  prompt: "$prompt",
  duration: { from: "duration_sec", as: "string" },
  aspect_ratio: "$aspect_ratio",
};
const ENDPOINTS: Readonly<Record<string, string>> = {
  polza: "kling/v2.5-turbo",
  fal: "fal-ai/kling-video/v2.5-turbo/pro/text-to-video",
  kie: "kling/v2-5-turbo-text-to-video-pro",
};

/** A video of 5 or 10 s in three ratios, made by one mapping that the test may change. */
export function oneMapping(
  service: string,
  change: (mapping: Mapping) => Mapping = (mapping) => mapping,
): CatalogueEntry[] {
  const mapping: Mapping = { ...MAPPING, endpoint: ENDPOINTS[service] ?? "", input: INPUT };
  const found = quickEntries.filter(({ model_key }) => model_key === "kling-2-5-turbo");
  return found.map((entry) => ({ ...entry, mappings: { [service]: [change(mapping)] } }));
}

/** Sends and reads the same today. Headers are not compared: some follow the catalogue's deadlines. */
export function expectReplayable(recording: Recording): void {
  const { provider, model_key, steps, endpoint } = recording;
  const adapter = ADAPTERS.find(({ name }) => name === provider);
  const entry = quickEntries.find((one) => one.model_key === model_key);
  if (!adapter || !entry) throw new Error("no such service or model");
  const request = recording.request as Parameters<typeof mappingFor>[1];
  const chosen = mappingFor(entry.mappings[provider] ?? [], request);
  if (!("mapping" in chosen)) throw new Error(`no mapping takes ${chosen.refusedField}`);
  expect(chosen.mapping.endpoint).toBe(endpoint);
  const answers = steps.map(({ answer }) => answer);
  const compared = (all: ReturnType<typeof replay>) =>
    all.map(({ call: { headers: _, ...call }, outcome }) => ({ call, outcome }));
  expect(compared(replay(adapter, chosen.mapping, recording, answers))).toEqual(compared(steps));
}
