import { describe, expect, test } from "vitest";
import { readRecordings } from "../src/recording.js";
import { expectReplayable, openCheck } from "./harness.js";

const live = readRecordings("test/recordings");

test("only live recordings are kept", () => {
  expect(live.filter(({ recording }) => !recording.live).map(({ path }) => path)).toEqual([]);
});

describe.each(live.map(({ path, recording }) => [path, recording] as const))("%s", (_path, recording) => {
  test("is sent and read today as it was", () => expectReplayable(recording));
});

test("another body of the mapping, or another reading, is seen by the replay", async () => {
  const { check, folder, recordings } = await openCheck();
  await check(`fal nano-banana-2 --out ${folder}`);
  const [first] = recordings();
  const [submit, ...looks] = first?.recording.steps ?? [];
  if (!first || !submit) throw new Error("no recording");
  const changed = { ...submit, call: { ...submit.call, json: { prompt: "another" } } };
  expect(() => expectReplayable({ ...first.recording, steps: [changed, ...looks] })).toThrow();
  const reread = { ...submit, outcome: { kind: "ambiguous", detail: "" } };
  expect(() => expectReplayable({ ...first.recording, steps: [reread, ...looks] })).toThrow();
});

test("a refusal is recorded too, and a stand-in's answers never go among the live ones", async () => {
  const { stand, check, folder, recordings } = await openCheck();
  stand.order({ fault: "policy-at-result", times: 2 });
  await check(`fal nano-banana-2 --out ${folder}`);
  expect(recordings()[0]?.recording.steps.at(-1)?.outcome).toMatchObject({ kind: "refused" });
  expect((await check("fal nano-banana-2")).text).toMatch(/No recording: http.* may be a stand-in/);
});
