import { createUpstreams, type UpstreamsOptions } from "@atelier/upstream-stand-ins";
import { onTestFinished } from "vitest";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { readRecordings } from "../../../src/ctl/upstream-check/recording.js";
import { type CheckSettings, run } from "../../../src/ctl/upstream-check/run.js";
import { type Clock, systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import { integer } from "../../../src/platform/integer.js";
import { OutputError } from "../../../src/providers/file-inspector.js";
import { prepareFile } from "../../../src/workers/prepare-file.js";
import { newDirectory } from "../../support/render-tasks.js";

export const KEY = "fal-key:0f3d/21+9a==";
const POLL: Mapping["poll"] = { first_ms: 100, every_ms: [100], deadline_sec: 10 };
/** Of the clock, so that deadlines pass quickly. */
const SPEED = 20;

const { entries, rates } = loadCatalogue("data/catalogue.json");

/** The mappings of the catalogue, with short pauses. */
export const quickEntries: CheckSettings["entries"] = entries.map((entry) => ({
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

const inspector = {
  prepare: (task: object) =>
    prepareFile(task).catch((cause: unknown) => Promise.reject(new OutputError("not_media", { cause }))),
};

/** `npm run upstream:check` against the stand-in. */
export async function openCheck(options: UpstreamsOptions = {}) {
  const stand = await createUpstreams(options);
  onTestFinished(() => stand.close());
  const folder = await newDirectory();
  const stopping = new AbortController();

  async function check(line: string, change: Partial<CheckSettings> = {}) {
    const lines: string[] = [];
    const settings = () => ({
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
    const say = (text: string) => void lines.push(text);
    const code = await run({ args: line.split(" "), settings, say, signal: stopping.signal });
    return { code, text: lines.join("\n") };
  }

  return { stand, folder, stopping, check, recordings: () => readRecordings(folder) };
}
