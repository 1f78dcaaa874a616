import { expect, test } from "vitest";
import {
  monthSums,
  readStatement,
  type StatementEntry,
  type StatementPlace,
  statementPage,
} from "../../../src/accounts/statement-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { GenerationError } from "../../../src/workers/generation-error.js";
import { IMAGE, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import fc from "../../support/fast-check.js";
import { makeFiles } from "../../support/stub-provider.js";

const UNIT = quote(IMAGE).totalKopecks;

async function readAll({ database }: TestCore, limit = 1000): Promise<StatementEntry[]> {
  const entries: StatementEntry[] = [];
  for await (const chunk of readStatement(database, 1, limit)) entries.push(...chunk);
  return entries;
}

test("a statement tells what an order was, and what came back of it", async () => {
  const world = openTestCore({ settings: { welcomeCreditKopecks: asKopecks(100) } });
  const ann = await world.begun(10 * UNIT);
  world.provider.make = async (task) => {
    if (world.provider.tasks.length === 1) throw new GenerationError("provider", "No.");
    return makeFiles(task);
  };
  await world.made(ann, "one", { ...IMAGE, count: 2 });
  const [refund, charge, credit, welcome] = await readAll(world);
  expect(refund).toMatchObject({ kind: "refund", amount: UNIT, order: { count: 1 } });
  expect(charge).toMatchObject({ kind: "charge", amount: -2 * UNIT, cause: null });
  expect(charge?.order).toMatchObject({ count: 2, isByApi: false, isOpen: false, returnedKopecks: UNIT });
  expect(credit).toMatchObject({ kind: "credit", cause: null, order: null });
  expect(welcome).toMatchObject({ kind: "credit", cause: "welcome", note: null, balance_after: 100 });
});

test("what the API and the chat ordered stands in one list", async () => {
  const world = openTestCore();
  const ann = await world.person(1, 10 * UNIT);
  await order(ann, "one");
  await world.core.routes.api.submit(1, IMAGE);
  const orders = (await readAll(world)).map((entry) => entry.order?.isByApi);
  expect(orders).toEqual([true, false, undefined]);
});

test("pages in both directions show every entry once, also while others are written", async () => {
  const world = openTestCore();
  await world.person(1);
  const credit = () => world.adminService.credit(1, asKopecks(100), null);
  for (let count = 0; count < 25; count++) await credit();
  const page = (place?: StatementPlace) => statementPage(world.database, 1, place, 10);
  const first = page();
  await credit();
  const second = page({ olderThan: first.entries.at(-1)?.id ?? 0 });
  const third = page({ olderThan: second.entries.at(-1)?.id ?? 0 });
  const ids = [first, second, third].flatMap(({ entries }) => entries.map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
  expect([first, second, third].map(({ hasOlder, hasNewer }) => [hasOlder, hasNewer])).toEqual([
    [true, false],
    [true, true],
    [false, true],
  ]);
  const back = page({ newerThan: third.entries[0]?.id ?? 0 });
  expect(back).toEqual(second);
  const newest = page({ newerThan: first.entries[1]?.id ?? 0 });
  expect(newest.entries[0]?.id).toBe(26);
  expect(newest.hasNewer).toBe(false);
});

test("a statement shows no entry of another account, and reads no more than asked", async () => {
  const world = openTestCore();
  await world.person(1, 500);
  await world.person(2, 700);
  for (let count = 0; count < 3; count++) await world.adminService.credit(1, asKopecks(100), "gift");
  expect((await readAll(world)).map(({ amount }) => amount)).toEqual([100, 100, 100, 500]);
  expect(await readAll(world, 2)).toHaveLength(2);
});

test("the sums of a month are those of its entries", async () => {
  const operation = fc.record({
    kind: fc.constantFrom("credit", "debit"),
    kopecks: fc.integer({ min: 1, max: 1000 }),
    hours: fc.integer({ min: 0, max: 800 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      const world = openTestCore();
      await world.person(1, 100_000);
      for (const { kind, kopecks, hours } of operations) {
        await world.clock.advance(hours * 3_600_000);
        await world.adminService[kind as "credit" | "debit"](1, asKopecks(kopecks), null);
      }
      const month = (ms: number) => new Date(ms).toISOString().slice(0, 7);
      const now = month(world.clock.now());
      const expected = { credit: 0, debit: 0, charge: 0, refund: 0 };
      for (const { created_at: at, kind, amount } of await readAll(world))
        if (month(at) === now) expected[kind] += amount;
      expect(monthSums(world.database, 1, world.clock.now())).toEqual(expected);
      await world.close();
    }),
    { numRuns: 10 },
  );
});
