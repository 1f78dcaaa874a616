import { describe, expect, test } from "vitest";
import { fakeAdapter, fakeAdapterWithLookUp } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake, openPolled, readMetrics, type World } from "./harness.js";

/** Begins anew with the rows of a backup: everything in them is of before the restore. */
async function restore(world: World, change: Parameters<World["restart"]>[0] = {}) {
  world.mayBeSent = () => false;
  await world.restart(change);
}

describe("a job that was open in a restored backup", () => {
  test("queued: it fails, and nothing is sent", async () => {
    const { service, world } = await openFake({ mayBeSent: () => false });
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect([service.posts, world.attempt()]).toEqual([[], undefined]);
  });

  test("planned: it fails, is flagged for the operator, and is never sent", async () => {
    const { service, world } = await openFake();
    service.onPost = (response) => answer(response, 429, {});
    world.run();
    await world.until("it is throttled", () => world.attempt()?.detail !== undefined);
    const posts = service.posts.length;
    await restore(world);
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1, no: 1 });
    expect(service.posts).toHaveLength(posts);
    expect((await readMetrics(world))("atelier_attempts_ended_total", "ambiguous")).toBe(1);
  });

  test("sending: a look-up that finds nothing does not send it again", async () => {
    const { service, world } = await openFake({ adapter: fakeAdapterWithLookUp() });
    service.onPost = () => {};
    world.run();
    await world.until("it is being sent", () => service.posts.length === 1);
    await restore(world, { adapter: fakeAdapterWithLookUp() });
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    await world.move(2 * 3_600_000);
    expect(service.posts).toHaveLength(1);
  });

  test("accepted: its task is asked about, and its files are fetched", async () => {
    const { service, world } = await openPolled();
    await restore(world);
    service.status = DONE;
    expect(await world.outcomeOf()).toMatchObject({ files: [{}] });
    expect(service.posts).toHaveLength(1);
  });

  test("made, and its files are gone: it is not made again", async () => {
    const remake = (operation: Parameters<NonNullable<ReturnType<typeof fakeAdapter>["remake"]>>[0]) => ({
      ...operation,
      input: { ...operation.input, seed: "another" },
    });
    const adapter = { ...fakeAdapter(), remake };
    const { service, world } = await openPolled({ adapter });
    await restore(world, { adapter });
    service.status = DONE;
    world.fetchFaults = Array.from({ length: 8 }, () => "expired" as const);
    expect(await world.outcomeOf()).toMatchObject({ failure: "provider" });
    expect(service.posts).toHaveLength(1);
  });
});
