import { expect, test } from "vitest";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake, readMetrics } from "./harness.js";

/** Software of the operator that answers a repeated request from its cache. */
function cachingAdapter(isSeeded = true): UpstreamAdapter {
  return {
    ...fakeAdapter(),
    remake: (operation) =>
      isSeeded ? { ...operation, input: { ...operation.input, seed: "another" } } : undefined,
  };
}

test("a file that is gone is asked for anew, once, with another seed", async () => {
  const { service, world } = await openFake({ adapter: cachingAdapter() });
  service.status = DONE;
  world.fetchFaults = ["expired", "expired"];
  expect(await world.outcomeOf(1, { accountId: 7 })).toMatchObject({ files: [{}] });
  const names = ["attempt-1", "attempt-1", "attempt-2"];
  expect(world.fetchTerms).toEqual(names.map((name) => ({ account: 7, name })));
  expect(service.posts.map(({ body }) => body.seed)).toEqual([undefined, "another"]);
  expect(world.attempt()).toMatchObject({ no: 2, state: "stored" });
  expect(world.logged("asking for it anew")).toHaveLength(1);
  const shown = await readMetrics(world);
  expect(shown("atelier_attempts_ended_total", "cancelled")).toBe(1);
});

test("a file that is gone, of a request without a seed, is not asked for anew", async () => {
  const { service, world } = await openFake({ adapter: cachingAdapter(false) });
  service.status = DONE;
  world.fetchFaults = Array.from({ length: 8 }, () => "expired" as const);
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(service.posts).toHaveLength(1);
  expect(world.attempt()).toMatchObject({ state: "failed", detail: expect.stringContaining("needs a seed") });
});

test("what a service complained of at the submit is logged, and told where no file comes of it", async () => {
  const plain = fakeAdapter();
  const readSubmit: UpstreamAdapter["readSubmit"] = (told, operation) => {
    const outcome = plain.readSubmit(told, operation);
    if (outcome.kind !== "accepted") return outcome;
    return { ...outcome, reference: { ...outcome.reference, id: "1", warnings: "node 7: no such model" } };
  };
  const { service, world } = await openFake({ adapter: { ...plain, readSubmit } });
  service.onGet = (response) => answer(response, 200, { status: "done", files: [] });
  expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
  expect(world.logged("accepted it with a warning")).toMatchObject([{ warnings: "node 7: no such model" }]);
  expect(world.attempt()).toMatchObject({
    state: "failed",
    flagged: 1,
    detail: "the finished task has no file; at the submit the service said: node 7: no such model",
  });
});
