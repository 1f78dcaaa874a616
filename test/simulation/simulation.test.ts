import { createHook } from "node:async_hooks";
import { expect, test } from "vitest";
import { PLANTED_IN_PATHS } from "./paths/paths.js";
import { PLANTED } from "./planted.js";
import { simulate } from "./simulate.js";

const SEEDS = 60;
/** The first two have the pictures of a greeting. */
const SEEDS_TWICE = [5, 25, 201, 202, 203];
/** Calls of the real disk and network, as node names them: they end in no order. */
const REAL = /^(FSREQ|FILEHANDLE|GETADDRINFO|TCP|PIPE|TLS|ZLIB)/;
/** Each planted fault shows itself within so many seeds. */
const PLANTED_SEEDS = 60;

test("worlds from seeds keep every promise about money, orders and taps", { timeout: 300_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { wrong } = await simulate(seed);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  }
});

test("a seed decides everything that happens", { timeout: 120_000 }, async () => {
  const real: string[] = [];
  const hook = createHook({ init: (_id, type) => void (REAL.test(type) && real.push(type)) }).enable();
  for (const seed of SEEDS_TWICE) expect(await simulate(seed)).toEqual(await simulate(seed));
  hook.disable();
  expect(real).toEqual([]);
});

test.each(Object.entries({ ...PLANTED, ...PLANTED_IN_PATHS }))(
  "%s is noticed",
  { timeout: 120_000 },
  async (_name, planted) => {
    const noticed: string[] = [];
    let taken = 0;
    const counted = { ...planted, onTaken: () => (taken += 1) };
    for (let seed = 1; seed <= PLANTED_SEEDS && noticed.length === 0; seed += 1) {
      const { wrong } = await simulate(seed, { planted: counted, way: planted.way ?? "embedded" });
      noticed.push(...wrong);
    }
    expect(taken, "how often the planted fault took hold").toBeGreaterThan(0);
    expect(noticed).not.toEqual([]);
  },
);
