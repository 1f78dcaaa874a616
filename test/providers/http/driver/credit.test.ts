import { describe, expect, test } from "vitest";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { judgeBalance } from "../../../../src/providers/judge-status.js";
import { StateStore } from "../../../../src/providers/service-state.js";
import { fakeAdapter } from "./fake-adapter.js";
import { answer, DONE } from "./fake-service.js";
import { openFake, type World } from "./harness.js";

const HOUR_MS = 3_600_000;

const kindOf = (world: World) => world.provider.state.kind;
const rowOf = (world: World) => new StateStore(world.database, "fake").read();

/** Its probe tells the balance. */
const adapter: UpstreamAdapter = {
  ...fakeAdapter(),
  probe: {
    ...fakeAdapter().probe,
    tells: "balance",
    read: ({ status, text }) =>
      status === 200
        ? judgeBalance(Number((JSON.parse(text) as { balance: number }).balance))
        : { kind: "glitch" },
  },
};

/** A service whose tasks cost 8, with an account that holds `credit`. */
async function withCredit(given: number) {
  const account = { credit: given, probes: [] as number[] };
  const { service, world } = await openFake({ adapter });
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

test("a balance that was drained meanwhile and has risen since resumes the service", async () => {
  const { world, account } = await withCredit(7);
  await world.givenBack();
  await world.until("its balance is remembered", () => rowOf(world)?.balance === 7);
  account.credit = 0;
  await world.until("the lower one is remembered", () => rowOf(world)?.balance === 0, { stepMs: 5000 });
  account.credit = 6;
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

describe("a pause whose balance at the refusal is not known", () => {
  /** Its balance cannot be read at the refusal, nor for a while after it. */
  async function withSilentBalance(given: number) {
    const known = await withCredit(given);
    const { service, world, account } = known;
    const { onGet } = service;
    const told = { isSilent: true };
    service.onGet = (response, request, path) => {
      if (path === "/probe" && told.isSilent) return answer(response, 500, {});
      onGet(response, request, path);
    };
    await world.givenBack();
    await world.move(60_000);
    expect(rowOf(world)).toMatchObject({ reason: "no_credit", balance: null });
    expect(account.probes).toEqual([]);
    return { ...known, told };
  }

  test("ends without the operator when somebody has paid before the first balance that is read", async () => {
    const { world, account, told } = await withSilentBalance(3);
    account.credit = 103;
    told.isSilent = false;
    await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
    expect(await world.outcomeOf(2)).toMatchObject({ files: [{}] });
  });

  test("has one job tried at the first balance that is read, and then waits until it rises", async () => {
    const { service, world, account, told } = await withSilentBalance(3);
    const { state } = world.provider;
    told.isSilent = false;
    await world.until("it is tried", () => kindOf(world) === "up", { stepMs: 5000 });
    await world.givenBack(2);
    expect(service.posts).toHaveLength(2);
    // The same episode: admins are told once.
    expect(world.provider.state).toMatchObject({
      kind: "paused",
      since: state.kind === "paused" && state.since,
    });
    await world.until("its balance is remembered", () => rowOf(world)?.balance === 3);
    const before = account.probes.length;
    await world.until("it was probed", () => account.probes.length >= before + 2, {
      stepMs: 10_000,
      maxMs: HOUR_MS,
    });
    expect(kindOf(world)).toBe("paused");
    account.credit = 103;
    await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
  });

  test("waits while the account is empty, and ends when it holds something", async () => {
    const { world, account, told } = await withSilentBalance(0);
    told.isSilent = false;
    await world.until("it was probed", () => account.probes.length >= 3, { stepMs: 5000 });
    expect(kindOf(world)).toBe("paused");
    account.credit = 20;
    await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
  });
});

describe.each([-25, -6, -1, 1, 6, 25])("a clock that is set by %i h", (hours) => {
  const probedAfter = async ({ world, account }: Awaited<ReturnType<typeof withCredit>>) => {
    const [before, begun] = [account.probes.length, world.clock.monotonic()];
    await world.until("it was probed", () => account.probes.length > before, { stepMs: 5000 });
    return world.clock.monotonic() - begun;
  };

  test("in the running process neither delays nor hurries the probe of a pause", async () => {
    const known = await withCredit(3);
    const { world, account } = known;
    await world.givenBack();
    await world.until("it was probed", () => account.probes.length >= 3, { stepMs: 5000 });
    await world.move(5000);
    world.clock.step(hours * HOUR_MS);
    await world.move(5000);
    expect(account.probes).toHaveLength(3);
    expect(await probedAfter(known)).toBeLessThanOrEqual(125_000);
    account.credit = 103;
    await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
  });

  test("before a start does not delay it, and keeps the balance of the refusal", async () => {
    const known = await withCredit(3);
    const { world, account } = known;
    await world.givenBack();
    await world.until("its balance is remembered", () => rowOf(world)?.balance === 3);
    await world.stop();
    world.clock.step(hours * HOUR_MS);
    await world.restart();
    expect(await probedAfter(known)).toBeLessThanOrEqual(35_000);
    expect(kindOf(world)).toBe("paused");
    account.credit = 4;
    await world.until("it is resumed", () => kindOf(world) === "up", { stepMs: 5000 });
  });
});
