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

test("a refusal is recorded too, and a stand-in's answers never go among the live ones", async () => {
  const { stand, check, folder, recordings } = await openCheck();
  stand.order({ fault: "policy-at-result", times: 2 });
  await check(`fal nano-banana-2 --out ${folder}`);
  expect(recordings()[0]?.recording.steps.at(-1)?.outcome).toMatchObject({ kind: "refused" });
  expect((await check("fal nano-banana-2")).text).toMatch(/No recording: http.* may be a stand-in/);
});
