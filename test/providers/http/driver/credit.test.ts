import { expect, test } from "vitest";
import type { UpstreamAdapter } from "../../../../src/providers/http/adapter.js";
import { StateStore } from "../../../../src/providers/http/driver/state-store.js";
import { judgeBalance } from "../../../../src/providers/http/judge-status.js";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, DONE, startFakeService } from "./fake-service.js";
import { openWorld, type World } from "./harness.js";

const HOUR_MS = 3_600_000;

const kindOf = (world: World) => world.provider.state.kind;
const rowOf = (world: World) => new StateStore(world.database, "fake").read();

/** Its probe tells the balance. */
const adapter: UpstreamAdapter = {
  ...fakeAdapter(),
  probeTells: "balance",
  readProbe: ({ text }) => judgeBalance(Number((JSON.parse(text) as { balance: number }).balance)),
};

/** A service whose tasks cost 8, with an account that holds `credit`. */
async function withCredit(given: number) {
  const service = await startFakeService();
  const account = { credit: given, probes: [] as number[] };
  const world = await openWorld(service, { adapter });
  const { onPost } = service;
  service.onPost = (response, request, id) =>
    account.credit < 8 ? answer(response, 402, {}) : onPost(response, request, id);
  service.onGet = (response, _request, path) => {
    if (path !== "/probe") return answer(response, 200, DONE);
    account.probes.push(world.clock.now());
    answer(response, 200, { balance: account.credit });
  };
  return { service, world, account };
}

test("a balance that does not pay for a task does not resume the service; one that has risen does", async () => {
  const { service, world, account } = await withCredit(3);
  await world.givenBack();
  await world.until("its balance is remembered", () => rowOf(world)?.balance === 3);
  await world.until("it was probed often", () => account.probes.length >= 5, { stepMs: 5000 });
  expect(kindOf(world)).toBe("paused");
  expect(service.posts).toHaveLength(1);
  expect(world.logged("service paused")).toHaveLength(1);
  account.credit = 103;
  await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
  expect(await world.outcomeOf(2)).toMatchObject({ files: [{}] });
});

test("the balance at the refusal is remembered over a restart", async () => {
  const { world, account } = await withCredit(3);
  await world.givenBack();
  await world.until("its balance is remembered", () => rowOf(world)?.balance === 3);
  await world.restart();
  const before = account.probes.length;
  await world.until("it was probed", () => account.probes.length >= before + 2, { stepMs: 5000 });
  expect(kindOf(world)).toBe("paused");
  account.credit = 4;
  await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
});

test("the back-off goes on through a resume that fails again within an hour, and begins anew after it", async () => {
  const { world, account } = await withCredit(3);
  await world.givenBack();
  await world.until("it was probed five times", () => account.probes.length >= 6, { stepMs: 5000 });
  const { state } = world.provider;
  const since = state.kind === "paused" ? state.since : undefined;
  world.provider.resume();
  expect(kindOf(world)).toBe("up");
  await world.givenBack(2);
  expect(world.provider.state).toMatchObject({ kind: "paused", since });
  const failedAt = world.clock.now();
  const next = () => (world.provider.state.kind === "paused" ? world.provider.state.nextTryAt : undefined);
  // Half of ten minutes at least: the sixth wait of the episode.
  expect((next() ?? 0) - failedAt).toBeGreaterThanOrEqual(290_000);
  world.provider.resume();
  await world.move(HOUR_MS + 1000);
  await world.givenBack(3);
  expect((next() ?? 0) - world.clock.now()).toBeLessThanOrEqual(30_000);
  expect(world.provider.state).not.toMatchObject({ since });
});
