import { describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { table } from "../../../src/database/table.js";
import { fingerprintOf } from "../../../src/http/read-json.js";
import { IMAGE, openTestCore, quote, type TestCore, type TestCoreOptions } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";
import { Snapshots } from "../../support/snapshots.js";

const BODY = { ...IMAGE, count: 2 };
const UNIT = quote(IMAGE).totalKopecks;
const HOUR_MS = 60 * 60 * 1000;
const keys = table("idempotency_key");

/** A core with account 1, a person's, which has a credit; its jobs wait. */
async function openWorld(options: TestCoreOptions = {}, kopecks = 100 * UNIT) {
  const world = openTestCore(options);
  world.provider.holds = true;
  const ann = await world.person(1, kopecks);
  return { ...world, ann };
}

function submit({ core }: Pick<TestCore, "core">, key: string, body: unknown = BODY) {
  return core.routes.api.submitKeyed({ accountId: 1, key, body, fingerprint: fingerprintOf(body) });
}

function charges({ adminService }: Pick<TestCore, "adminService">) {
  return adminService.entries(1).filter(({ kind }) => kind === "charge");
}

describe("a keyed request", () => {
  test("that a kill interrupts at any fail point is charged once when repeated", async () => {
    const snapshots = new Snapshots();
    let isArmed = false;
    const world: TestCore = await openWorld({
      failPoint: (failPoint) => {
        if (isArmed) snapshots.take(failPoint, world.directory);
      },
    });
    isArmed = true;
    const { accepted } = await submit(world, "one");
    isArmed = false;
    expect(snapshots.taken.map(({ failPoint }) => failPoint)).toEqual([
      "commit:before:job:accept",
      "commit:after:job:accept",
    ]);
    for (const { failPoint, directory } of snapshots.taken) {
      const next = await openWorld({ directory }, 0);
      const again = await submit(next, "one");
      expect(again.isReplayed).toBe(failPoint.startsWith("commit:after"));
      expect(again.accepted).toEqual(accepted);
      expect(charges(next)).toHaveLength(1);
      expect(next.adminService.account(1).balance).toBe(98 * UNIT);
      expect(next.adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
    }
  });

  test("never matches a chat order with the same id on the same account", async () => {
    const world = await openWorld();
    const keyed = await submit(world, "one");
    const ordered = await world.ann.submit(BODY, { id: "one", quotedKopecks: asKopecks(2 * UNIT) });
    expect(ordered.job_id).not.toBe(keyed.accepted.job_id);
    const [orderId = ""] = charges(world).flatMap(({ order_id }) => order_id ?? []);
    // The ids of the chat's orders have no colon.
    expect(orderId).toMatch(/^api:[\w-]{16}$/);
    expect((await submit(world, orderId)).isReplayed).toBe(false);
    expect((await submit(world, "one")).accepted).toEqual(keyed.accepted);
    expect(charges(world)).toHaveLength(3);
  });
});

test("keys older than 24 hours are removed hourly, however many there are", async () => {
  const world = await openWorld();
  const old = { account_id: 1, fingerprint: "f", order_id: "o", created_at: world.clock.now() };
  await world.database.write("test", (tx) => {
    for (let n = 0; n < 1200; n += 1) keys.insert(tx, { ...old, key: `old-${n}` });
  });
  await world.clock.advance(HOUR_MS);
  await submit(world, "young", IMAGE);
  await world.core.start();
  await world.clock.advance(22 * HOUR_MS);
  const isKept = (key: string) => keys.get(world.database, { account_id: 1, key }) !== undefined;
  expect(isKept("old-0")).toBe(true);
  await world.clock.advance(HOUR_MS);
  await eventually("the removal of old keys", () => !isKept("old-0") && !isKept("old-1199"));
  expect(isKept("young")).toBe(true);
});

describe("a clock that is wrong by 25 h", () => {
  const WRONG = [-25, 25].map((hours) => hours * HOUR_MS);

  test.each(WRONG)("at a start (%i ms) has no key forgotten, also once it is right again", async (ms) => {
    const start = Date.UTC(2026, 0, 1);
    const first = await openWorld({ clock: createManualClock(start) });
    await first.core.start();
    const { accepted } = await submit(first, "one");
    await first.close();
    const wrong = await openWorld({ directory: first.directory, clock: createManualClock(start + ms) }, 0);
    await wrong.core.start();
    await turnOfEvents();
    expect(await submit(wrong, "one")).toEqual({ accepted, isReplayed: true });
    await wrong.close();
    const right = await openWorld({ directory: first.directory, clock: createManualClock(start) }, 0);
    await right.core.start();
    expect(await submit(right, "one")).toEqual({ accepted, isReplayed: true });
    expect(charges(right)).toHaveLength(1);
  });

  test.each(WRONG)("in the running process (%i ms) has no key forgotten", async (ms) => {
    const world = await openWorld();
    await world.core.start();
    await submit(world, "one");
    world.clock.step(ms);
    expect((await submit(world, "one")).isReplayed).toBe(true);
    await world.clock.advance(2 * HOUR_MS);
    expect((await submit(world, "one")).isReplayed).toBe(true);
    world.clock.step(-ms);
    await world.clock.advance(2 * HOUR_MS);
    expect((await submit(world, "one")).isReplayed).toBe(true);
    expect(charges(world)).toHaveLength(1);
  });

  test("keeps a key for no longer than a day more", async () => {
    const world = await openWorld();
    await world.core.start();
    await submit(world, "one");
    world.clock.step(25 * HOUR_MS);
    await world.clock.advance(26 * HOUR_MS);
    await eventually(
      "the removal of the key",
      () => keys.get(world.database, { account_id: 1, key: "one" }) === undefined,
    );
  });
});
