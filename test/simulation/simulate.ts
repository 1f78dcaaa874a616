import { HOUR_MS, MINUTE_MS } from "../../src/platform/units.js";
import type { Planted } from "./planted.js";
import { Random } from "./random.js";
import { SimPerson } from "./sim-person.js";
import { ADMIN_ID } from "./sim-process.js";
import { World } from "./world.js";

export interface Verdict {
  seed: number;
  /** What went wrong; empty where nothing did. */
  wrong: readonly string[];
  /** What happened, in order. */
  history: readonly string[];
  acts: number;
  /** Tasks that the service accepted. */
  tasks: number;
  crashes: number;
}

export interface SimulationOptions {
  /** The first acts only, for a shorter history. */
  actsMax?: number;
  /** A fault that has to be noticed. */
  planted?: Planted;
}

const ACTS = 24;
const PEOPLE = { least: 3, most: 5 };
const FIRST_ID = 101;
/** Everything has ended so long after the last act: the longest deadline and what follows from it. */
const REST_MS = 4 * HOUR_MS;
const REST_STEP_MS = 30_000;
/** What comes of itself after the last row: another file, another refund. */
const LAST_MS = 3 * MINUTE_MS;
const PAUSES = [
  [5, 50],
  [3, 700],
  [2, 15_000],
  [0.2, HOUR_MS],
] as const;

/** Runs one world from its seed until it has come to rest, and judges it. */
export async function simulate(
  seed: number,
  { actsMax = ACTS, planted = {} }: SimulationOptions = {},
): Promise<Verdict> {
  const random = new Random(seed);
  const restore = replaceJitter(random.fork());
  const world = await World.open(random, planted);
  try {
    const act = actsOf(world, random);
    for (let done = 0; done < actsMax; done += 1) {
      world.history.push(act());
      await world.pass(random.weighted(PAUSES));
    }
    world.calmDown();
    for (let restedMs = 0; restedMs < REST_MS && !world.isAtRest; restedMs += REST_STEP_MS)
      await world.pass(REST_STEP_MS);
    await world.pass(LAST_MS);
    const { history, fal, crashes } = world;
    return { seed, wrong: world.judge(), history, acts: actsMax, tasks: fal.tasks.length, crashes };
  } finally {
    await world.close();
    restore();
  }
}

/** Pauses between tries are spread by `Math.random`. Returns what puts it back. */
function replaceJitter(random: Random): () => void {
  const { random: own } = Math;
  Math.random = () => random.next();
  return () => {
    Math.random = own;
  };
}

/** Does one thing at each call, and tells what: mostly people act, at times an admin, the disk or the clock. */
function actsOf({ telegram, disk, clock }: World, random: Random): () => string {
  const newPerson = (id: number) => new SimPerson(id, telegram, random.fork());
  const count = random.integer(PEOPLE.least, PEOPLE.most);
  const people = Array.from({ length: count }, (_, index) => newPerson(FIRST_ID + index));
  const admin = newPerson(ADMIN_ID);
  const acts = [
    [20, () => random.pick(people)?.act() ?? ""],
    [
      1,
      () =>
        admin.say(`/${random.pick(["credit", "debit"])} ${random.pick(people)?.id} ${random.integer(1, 90)}`),
    ],
    [
      1,
      () => {
        disk.isFull = !disk.isFull;
        return disk.isFull ? "the disk is full" : "the disk has room";
      },
    ],
    [
      1,
      () => {
        const minutes = random.pick([-180, -5, 5, 180]) ?? 0;
        clock.step(minutes * MINUTE_MS);
        return `the clock is moved by ${minutes} minutes`;
      },
    ],
  ] as const;
  return () => random.weighted(acts)();
}
