import { expect, test } from "vitest";
import { unlessFlagged } from "../../../../src/providers/judge-status.js";
import { DONE } from "./fake-service.js";
import { openFake } from "./harness.js";

const FILE = "https://files.fake.example/1.png";

test.each([
  [{ images: [{ url: FILE }], has_nsfw_concepts: [true] }, "refused"],
  [{ images: [{ url: FILE }], has_nsfw_concepts: [false] }, "ready"],
  [{ output: [FILE], fields: { nsfw_content_detected: true } }, "refused"],
  [{ 9: { images: [{ url: FILE }], nsfw: [true] } }, "refused"],
  [{ data: [{ url: "", respect_moderation: false }] }, "refused"],
  [{ data: [{ url: FILE, respect_moderation: true }] }, "ready"],
  [{ videos: [], raiMediaFilteredCount: 1 }, "refused"],
  [{ prompt: "nsfw", nsfw: false }, "ready"],
])("a finished task that tells %j is %s", (document, kind) => {
  expect(unlessFlagged({ kind: "ready", document })).toMatchObject({ kind });
});

test("a flagged result is a refusal: its file is not fetched", async () => {
  const { service, world } = await openFake();
  service.status = { ...DONE, has_nsfw_concepts: [true] };
  expect(await world.outcomeOf()).toMatchObject({ failure: "refused" });
  expect(world.attempt()).toMatchObject({ state: "refused", refusal: "policy" });
  expect(world.fetched).toEqual([]);
});

test("a black picture is a refusal, at what the service asks for it", async () => {
  const { service, world } = await openFake();
  service.status = DONE;
  world.fetchFaults = ["black"];
  expect(await world.outcomeOf()).toMatchObject({ failure: "refused" });
  expect(world.attempt()).toMatchObject({ state: "refused", refusal: "policy", cost: { amount: 0.08 } });
});
