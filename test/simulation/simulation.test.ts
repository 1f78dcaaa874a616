import { once } from "node:events";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { CODE_FAULTS } from "./code-faults.js";
import { addMoves, coverageOf, type Moves, tableOf } from "./moves.js";
import { ALL_PLANTED } from "./paths/paths.js";
import { seedsFor } from "./themes.js";
import type { WorldOrder, WorldReport, WorldThreadData } from "./world-thread.js";

/** Each theme twice. `npm run simulate` runs as many as there is time for. */
const SEEDS = 42;
/** Each move of a table of states is made so often in these worlds. */
const MOVES_LEAST = 10;
/** Paths that enough of the worlds have. */
const OFTEN = ["albums", "callbacks", "connected", "groups", "handOver", "restores", "support"];
const WORLDS_LEAST = 5;
/** The first two have the pictures of a greeting. */
const SEEDS_TWICE = [10, 31, 7, 15, 202];
/** A backup and a restore read the real disk while nothing else happens. */
const SEED_RESTORED = 18;

/** Each planted fault shows itself within so many seeds. */
const PLANTED_SEEDS = 60;
/** Most show themselves early: the beginnings of so many worlds are tried before whole ones. */
const BEGINNINGS = 3;
const BEGINNING_SHARE = 0.35;
/** Whole worlds that show what few do. Where one no longer does, the fault is looked for, and takes longer. */
const SHOWN_BY: Readonly<Record<string, number>> = {
  "a key that the API forgets": 8,
  "a doubt that nobody is told of": 13,
  "a card in a group that anybody confirms": 10,
  "a hand-over that is charged again": 57,
  "a month's most that is forgotten": 6,
  "a refund of an order that nobody wrote down": 4,
  "a refund of an order that was made twice": 4,
  "a debt that is forgotten": 4,
  "a payment of a shop that is asked for with another key": 5,
  "a price that is not compared": 24,
  "a refund undone that gives no reward again": 27,
  "a refund of an order that pays no debt": 46,
  "a refund whose key the shop has forgotten": 26,
  "a reconciliation that reads nothing again": 25,
  "refunds of Stars that nobody asks about again": 23,
  "a pending refund of the shop that counts as done": 5,
  "files of an order whose earlier message is forgotten": 21,
};

/** A thread runs what is built, and not with the conditions of these tests. */
const PROGRAM = new URL("../../build/test/simulation/world-thread.js", import.meta.url);

class WorldThread {
  #running: { thread: Worker; port: MessagePort } | undefined;

  constructor(private readonly hasFaults: boolean) {}

  async run(order: WorldOrder): Promise<WorldReport> {
    this.#running ??= this.#start();
    const { thread, port } = this.#running;
    const isOver = new AbortController();
    const failed = once(thread, "exit", { signal: isOver.signal });
    const answered = once(port, "message", { signal: isOver.signal });
    port.postMessage(order);
    try {
      const [answer] = (await Promise.race([answered, failed])) as [WorldReport | number];
      if (typeof answer !== "number") return answer;
      this.#running = undefined;
      throw new Error(`the thread has ended with ${answer}`);
    } finally {
      isOver.abort();
      await Promise.allSettled([answered, failed]);
    }
  }

  #start() {
    const { port1, port2: port } = new MessageChannel();
    const workerData: WorldThreadData = { port, hasFaults: this.hasFaults };
    return { thread: new Worker(PROGRAM, { workerData, transferList: [port], execArgv: [] }), port: port1 };
  }

  async end(): Promise<void> {
    await this.#running?.thread.terminate();
    this.#running?.port.close();
  }
}

const sound = new WorldThread(false);
const faulty = new WorldThread(true);
afterAll(async () => {
  await sound.end();
  await faulty.end();
});

const reports = new Map<number, WorldReport>();

/** What became of a world that ran before, or runs now. */
async function reportOf(seed: number): Promise<WorldReport> {
  const report = reports.get(seed) ?? (await sound.run({ seed }));
  reports.set(seed, report);
  return report;
}

test("worlds from seeds keep every promise about money, orders and taps", { timeout: 400_000 }, async () => {
  const moves: Moves[] = [];
  const worlds = new Map(OFTEN.map((name) => [name, 0]));
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { wrong, moves: own, paths } = (await reportOf(seed)).verdict;
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
    const { verdict } = await reportOf(seed);
    const again = await sound.run({ seed, isWatched: true });
    expect(again.verdict).toEqual(verdict);
    if (seed !== SEED_RESTORED) expect(again.real).toEqual([]);
  }
});

test.each(Object.entries({ ...ALL_PLANTED, ...CODE_FAULTS }))(
  "%s is noticed",
  { timeout: 240_000 },
  async (fault, planted) => {
    const seeds = seedsFor(planted, PLANTED_SEEDS);
    const shownBy = SHOWN_BY[fault];
    const worlds = [
      ...(shownBy === undefined ? [] : [{ seed: shownBy, share: 1 }]),
      ...seeds.slice(0, BEGINNINGS).map((seed) => ({ seed, share: BEGINNING_SHARE })),
      ...seeds.map((seed) => ({ seed, share: 1 })),
    ];
    for (const { seed, share } of worlds) {
      const { verdict, taken, unfound } = await faulty.run({ seed, fault, share });
      expect(unfound).toEqual([]);
      const [wrong] = verdict.wrong;
      if (wrong === undefined) continue;
      process.stdout.write(`${fault}: world ${seed}, where it took hold ${taken} times: ${wrong}\n`);
      expect(taken, "how often the planted fault took hold").toBeGreaterThan(0);
      return;
    }
    expect.fail(`none of ${PLANTED_SEEDS} worlds has noticed it`);
  },
);
