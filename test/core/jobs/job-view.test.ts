import { expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { viewOfJob } from "../../../src/jobs/job-reader.js";
import type { JobRow } from "../../../src/jobs/job-store.js";
import type { MediaFile } from "../../../src/media/media-store.js";
import { integer } from "../../../src/platform/integer.js";

const ROW: JobRow = {
  id: 1,
  account_id: 1,
  origin: "api",
  order_id: null,
  order_index: 0,
  type: "image",
  model_key: "nano-banana-2",
  model: "nano-banana-2",
  model_title: "Nano Banana 2",
  request: "{}",
  seed: 1,
  reference_count: 0,
  provider: "local",
  declined_by: "[]",
  tracks: 1,
  cost: asKopecks(1000),
  status: "done",
  failure: null,
  error: null,
  is_refunded: 0,
  paid_back_at: null,
  attempts: 1,
  created_at: integer(0),
  started_at: integer(0),
  finished_at: integer(0),
};

const nameOf = (name: string) => name;

test("a job is shown without its texts and pictures, however large they were", () => {
  const request = JSON.stringify({
    type: "image",
    model_key: "nano-banana-2",
    prompt: "я".repeat(20_000),
    aspect_ratio: "9:16",
    reference_urls: Array.from({ length: 16 }, () => `https://example.com/${"a".repeat(8000)}`),
  });
  const picture = viewOfJob({ ...ROW, request }, [], nameOf);
  expect(picture).toMatchObject({ aspect_ratio: "9:16", duration_sec: null });
  expect(JSON.stringify(picture).length).toBeLessThan(1000);

  const lyrics = JSON.stringify({ type: "music", model_key: "music:suno-v5", lyrics: "la ".repeat(1300) });
  expect(
    JSON.stringify(viewOfJob({ ...ROW, type: "music", request: lyrics }, [], nameOf)).length,
  ).toBeLessThan(1000);
});

const TRACK: MediaFile = {
  id: 1,
  name: "a.mp3",
  account_id: 1,
  job_id: 1,
  role: "result",
  position: 0,
  mime: "audio/mpeg",
  size: 1,
  width: null,
  height: null,
  duration_sec: 20,
  title: null,
  created_at: integer(0),
  removed_at: null,
};

/** The titles of the tracks of a song. */
function titlesOf(request: string, files: readonly MediaFile[]): string[] {
  const { result } = viewOfJob({ ...ROW, type: "music", request }, files, nameOf);
  return (result?.tracks ?? []).map(({ title }) => title);
}

test("a track title has at most 120 characters, whatever a provider returns", () => {
  const request = JSON.stringify({ type: "music", model_key: "music:suno-v5" });
  for (const [given, shown] of [
    ["🌊".repeat(120), "🌊".repeat(120)],
    ["🌊".repeat(121), "🌊".repeat(120)],
    [`${"a".repeat(119)} (2)`, "a".repeat(119)],
  ] as const) {
    expect(titlesOf(request, [{ ...TRACK, title: given }])).toEqual([shown]);
  }
});

test.each([
  [{ title: "Sea,\n and  sky", description: "a slow song", lyrics: "la la" }, "Sea,\n and  sky"],
  [{ description: "a slow song, piano", lyrics: "la la" }, "A slow song"],
  [{ lyrics: "[Verse]\nla la" }, "La la"],
  [{ description: "я".repeat(61) }, `Я${"я".repeat(39)}`],
  [
    { description: "песня о ночном поезде который идёт вдоль реки" },
    "Песня о ночном поезде который идёт вдоль",
  ],
  [{}, ROW.model_title],
])("an untitled track of %j is called %j", (texts, title) => {
  const request = JSON.stringify({ type: "music", model_key: "music:suno-v5", ...texts });
  const named = { ...TRACK, position: 1, title: "Its own" };
  expect(titlesOf(request, [TRACK, named])).toEqual([title, "title" in texts ? title : "Its own"]);
});
