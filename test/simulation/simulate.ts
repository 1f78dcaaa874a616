import { HOUR_MS, MINUTE_MS } from "../../src/platform/units.js";
import { Random } from "./random.js";
import { SimPerson } from "./sim-person.js";
import { ADMIN_ID } from "./surroundings.js";
import type { Way } from "./way.js";
import { World, type WorldOptions } from "./world.js";

export interface Verdict {
  seed: number;
  way: Way;
  /** What went wrong; empty where nothing did. */
  wrong: readonly string[];
  /** What happened, in order. */
  history: readonly string[];
  acts: number;
  /** Pictures, videos and songs that were bought or begun. */
  tasks: number;
  crashes: number;
}

export interface SimulationOptions extends WorldOptions {
  /** The first acts only, for a shorter history. */
  actsMax?: number;
}

const ACTS = 40;
const PEOPLE = { least: 3, most: 10 };
const FIRST_ID = 101;
/** Everything has ended so long after the last act: the longest deadline and what follows from it. */
const REST_MS = 4 * HOUR_MS;
const REST_STEP_MS = 30_000;
/** What comes of itself after the last row: another file, another refund, what a reconciliation finds. */
const LAST_MS = 11 * MINUTE_MS;
const FULL_MS_MAX = 20_000;
const PAUSES = [
  [5, 50],
  [3, 700],
  [2, 15_000],
  [0.2, HOUR_MS],
] as const;

/** Runs one world from its seed until it has come to rest, and judges it. */
export async function simulate(
  seed: number,
  { actsMax = ACTS, ...options }: SimulationOptions = {},
): Promise<Verdict> {
  const random = new Random(seed);
  const restore = replaceChance(random.fork());
  const world = await World.open(random, options);
  try {
    const act = actsOf(world, random);
    for (let done = 0; done < actsMax; done += 1) {
      world.history.push(await act());
      await world.pass(random.weighted(PAUSES));
    }
    world.calmDown();
    for (let restedMs = 0; restedMs < REST_MS && !world.isAtRest; restedMs += REST_STEP_MS)
      await world.pass(REST_STEP_MS);
    if (world.needsStart) await world.restart();
    await world.pass(LAST_MS);
    const { way, history, tasks, crashes } = world;
    return { seed, way, wrong: world.judge(), history, acts: actsMax, tasks, crashes };
  } finally {
    await world.close();
    restore();
  }
}

/**
 * Pauses between tries are spread by `Math.random`, and the conversations of grammY wait for a timer of no length,
 * which fires after some real time: here in the next turn of events. Returns what puts both back.
 */
function replaceChance(random: Random): () => void {
  const { random: ownRandom } = Math;
  const { setTimeout: ownTimeout } = globalThis;
  const inNextTurn = (fire: () => void, delayMs = 0, ...given: []) =>
    delayMs > 0 ? ownTimeout(fire, delayMs, ...given) : setImmediate(fire, ...given);
  Math.random = () => random.next();
  globalThis.setTimeout = Object.assign(inNextTurn, ownTimeout) as typeof setTimeout;
  return () => {
    Math.random = ownRandom;
    globalThis.setTimeout = ownTimeout;
  };
}

/** Does one thing at each call, and tells what: mostly people act, at times an admin, the disk or the clock. */
function actsOf(world: World, random: Random): () => Promise<string> | string {
  const { telegram, disk, clock } = world;
  const newPerson = (id: number) => new SimPerson(id, telegram, random.fork());
  const count = random.integer(PEOPLE.least, PEOPLE.most);
  const people = Array.from({ length: count }, (_, index) => newPerson(FIRST_ID + index));
  const admin = newPerson(ADMIN_ID);
  const machine = world.way === "embedded" ? world.newMachine(FIRST_ID) : undefined;
  // A start takes a clock that was set by hours for the time that a link has not come.
  const hasLateLinks = world.way === "front_end" && world.api.areLinksLate;
  const acts: readonly (readonly [number, () => Promise<string> | string])[] = [
    [20, () => random.pick(people)?.act() ?? ""],
    [
      1,
      () =>
        admin.say(`/${random.pick(["credit", "debit"])} ${random.pick(people)?.id} ${random.integer(1, 90)}`),
    ],
    [machine ? 4 : 0, () => machine?.act() ?? ""],
    [
      1,
      () => {
        disk.isFull = !disk.isFull;
        return disk.isFull ? "the disk is full" : "the disk has room";
      },
    ],
    [
      0.7,
      () => {
        const lastsMs = random.integer(50, FULL_MS_MAX);
        disk.databaseFullUntil = clock.monotonic() + lastsMs;
        return `the database has no room for ${lastsMs} ms`;
      },
    ],
    [
      1,
      () => {
        const minutes = random.pick(hasLateLinks ? [-5, 5] : [-180, -5, 5, 180, 26 * 60]) ?? 0;
        clock.step(minutes * MINUTE_MS);
        return `the clock is moved by ${minutes} minutes`;
      },
    ],
    [
      0.7,
      async () => {
        await world.changeCatalogue();
        return "models and prices change";
      },
    ],
    [
      0.3,
      async () => {
        await world.restart();
        return "the process is started anew";
      },
    ],
    [1, () => (random.chance(0.5) ? admin.say("/orders") : admin.act())],
    [world.way === "embedded" ? 1 : 0, () => admin.say(`/refund ${random.integer(1, 4)}`)],
    [world.way === "embedded" ? 1 : 0, () => admin.act()],
    [1, () => telegram.stars.refundElsewhere()],
    [world.way === "embedded" ? 10 : 0, () => people[0]?.buy() ?? ""],
  ];
  return () => random.weighted(acts)();
}
