import { createHook } from "node:async_hooks";
import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { CODE_FAULTS } from "./code-faults.js";
import type { FaultyVerdict, FaultyWorld } from "./fault-thread.js";
import { addMoves, coverageOf, type Moves, tableOf } from "./moves.js";
import { ALL_PLANTED } from "./paths/paths.js";
import { simulate, type Verdict } from "./simulate.js";
import { seedsFor } from "./themes.js";

const SEEDS = 60;
/** The first two have the pictures of a greeting. */
const SEEDS_TWICE = [10, 31, 7, 15, 202];
/** A backup and a restore read the real disk while nothing else happens. */
const SEED_RESTORED = 18;
/** Paths that enough of the worlds have. */
const OFTEN = ["albums", "callbacks", "connected", "groups", "handOver", "restores", "support"];
const WORLDS_LEAST = 8;
/** Calls of the real disk and network, as node names them: they end in no order. */
const REAL = /^(FSREQ|FILEHANDLE|GETADDRINFO|TCP|PIPE|TLS|ZLIB)/;
/** The thread runs what is built, and not with the conditions of these tests. */
const THREAD = new URL("../../build/test/simulation/fault-thread.js", import.meta.url);
/** Each planted fault shows itself within so many seeds. */
const PLANTED_SEEDS = 60;
/** Most show themselves early: the beginnings of so many worlds are tried before whole ones. */
const BEGINNINGS = 3;
const BEGINNING_SHARE = 0.35;

const { port1: faulty, port2: workerData } = new MessageChannel();
let thread: Worker | undefined;
afterAll(async () => {
  await thread?.terminate();
  faulty.close();
});

/** Each move of a table of states is made so often in these worlds. */
const MOVES_LEAST = 20;

const verdicts = new Map<number, Promise<Verdict>>();

/** The verdict of a world that ran before, or runs now. */
function verdictOf(seed: number): Promise<Verdict> {
  const known = verdicts.get(seed) ?? simulate(seed);
  verdicts.set(seed, known);
  return known;
}

test("worlds from seeds keep every promise about money, orders and taps", { timeout: 400_000 }, async () => {
  const moves: Moves[] = [];
  const worlds = new Map(OFTEN.map((name) => [name, 0]));
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { wrong, moves: own, paths } = await verdictOf(seed);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    moves.push(own);
    for (const path of paths) worlds.set(path, (worlds.get(path) ?? 0) + 1);
  }
  const all = addMoves(moves);
  process.stdout.write(`${tableOf(all)}\n`);
  expect(Object.entries(coverageOf(all).wanted).filter(([, times]) => times < MOVES_LEAST)).toEqual([]);
  const rare = OFTEN.filter((name) => (worlds.get(name) ?? 0) < WORLDS_LEAST);
  expect(rare, `paths in less than ${WORLDS_LEAST} worlds`).toEqual([]);
});

test("a seed decides everything that happens", { timeout: 120_000 }, async () => {
  for (const seed of [...SEEDS_TWICE, SEED_RESTORED]) {
    const before = await verdictOf(seed);
    const real: string[] = [];
    const hook = createHook({ init: (_id, type) => void (REAL.test(type) && real.push(type)) }).enable();
    const again = await simulate(seed);
    hook.disable();
    expect(again).toEqual(before);
    if (seed !== SEED_RESTORED) expect(real).toEqual([]);
  }
});

test.each(Object.entries({ ...ALL_PLANTED, ...CODE_FAULTS }))(
  "%s is noticed",
  { timeout: 240_000 },
  async (fault, planted) => {
    const seeds = seedsFor(planted, PLANTED_SEEDS);
    const worlds = [
      ...seeds.slice(0, BEGINNINGS).map((seed) => ({ seed, share: BEGINNING_SHARE })),
      ...seeds.map((seed) => ({ seed, share: 1 })),
    ];
    for (const { seed, share } of worlds) {
      const { wrong, taken, unfound } = await runFaulty({ seed, fault, share });
      expect(unfound).toEqual([]);
      if (wrong.length === 0) continue;
      process.stdout.write(`${fault}: world ${seed}, where it took hold ${taken} times: ${wrong[0]}\n`);
      expect(taken, "how often the planted fault took hold").toBeGreaterThan(0);
      return;
    }
    expect.fail(`none of ${PLANTED_SEEDS} worlds has noticed it`);
  },
);

/** Runs a world in the thread. */
async function runFaulty(world: FaultyWorld): Promise<FaultyVerdict> {
  thread ??= new Worker(THREAD, { workerData, transferList: [workerData], execArgv: [] });
  const isOver = new AbortController();
  const failed = once(thread, "exit", { signal: isOver.signal });
  const answered = once(faulty, "message", { signal: isOver.signal });
  faulty.postMessage(world);
  try {
    const [verdict] = (await Promise.race([answered, failed])) as [FaultyVerdict | number];
    if (typeof verdict === "number") {
      thread = undefined;
      throw new Error(`the thread has ended with ${verdict}`);
    }
    return verdict;
  } finally {
    isOver.abort();
    await Promise.allSettled([answered, failed]);
  }
}
