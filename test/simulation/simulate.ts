import { HOUR_MS, MINUTE_MS } from "../../src/platform/units.js";
import { actsOf } from "./acts.js";
import type { Moves } from "./moves.js";
import { namesOf } from "./paths/paths.js";
import { Random } from "./random.js";
import { besideOf, themeOf } from "./themes.js";
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
  /** Names of the paths that it had. */
  paths: readonly string[];
  /** Pictures, videos and songs that were bought or begun. */
  tasks: number;
  moves: Moves;
  crashes: number;
}

export interface SimulationOptions extends WorldOptions {
  /** The first acts only, for a shorter history. */
  actsMax?: number;
  /** The first acts only, as a share of all. */
  share?: number | undefined;
}

const ACTS = 42;
/** Everything has ended so long after the last act: the longest deadline and what follows from it. */
const REST_MS = 4 * HOUR_MS;
const REST_STEP_MS = 30_000;
/** What comes of itself after the last row: another file, another refund, what a reconciliation finds. */
const LAST_MS = 11 * MINUTE_MS;
const PAUSES = [
  [5, 50],
  [3, 700],
  [2, 15_000],
  [0.2, HOUR_MS],
] as const;

/** Runs one world from its seed until it has come to rest, and judges it. */
export async function simulate(
  seed: number,
  { actsMax, share = 1, ...options }: SimulationOptions = {},
): Promise<Verdict> {
  const random = new Random(seed);
  const restore = replaceChance(random.fork());
  const theme = themeOf(seed);
  const acts = actsMax ?? Math.ceil((theme.acts ?? ACTS) * share);
  const world = await World.open(random, { theme, beside: besideOf(seed), ...options });
  try {
    const act = actsOf(world, random);
    for (let done = 0; done < acts; done += 1) {
      world.history.push(await act());
      await world.pass(random.weighted(PAUSES));
    }
    world.calmDown();
    for (let restedMs = 0; restedMs < REST_MS && !world.isAtRest; restedMs += REST_STEP_MS)
      await world.pass(REST_STEP_MS);
    if (world.needsStart) await world.restart();
    await world.pass(LAST_MS);
    const { way, history, tasks, moves, crashes } = world;
    const paths = namesOf(world.paths);
    return { seed, way, wrong: world.judge(), history, acts, paths, tasks, moves, crashes };
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
