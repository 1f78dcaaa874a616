import { expect, test } from "vitest";
import { PLANTED } from "./planted.js";
import { simulate } from "./simulate.js";

const SEEDS = 120;
/** Each planted fault shows itself within so many seeds. */
const PLANTED_SEEDS = 60;

test("worlds from seeds keep every promise about money, orders and taps", { timeout: 300_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { wrong } = await simulate(seed);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  }
});

test("a seed decides everything that happens", { timeout: 120_000 }, async () => {
  for (let seed = 201; seed <= 205; seed += 1) expect(await simulate(seed)).toEqual(await simulate(seed));
});

test.each(Object.entries(PLANTED))("%s is noticed", { timeout: 120_000 }, async (_name, planted) => {
  const noticed: string[] = [];
  let taken = 0;
  const counted = { ...planted, onTaken: () => (taken += 1) };
  for (let seed = 1; seed <= PLANTED_SEEDS && noticed.length === 0; seed += 1) {
    const { wrong } = await simulate(seed, { planted: counted, way: planted.way ?? "embedded" });
    noticed.push(...wrong);
  }
  expect(taken, "how often the planted fault took hold").toBeGreaterThan(0);
  expect(noticed).not.toEqual([]);
});
