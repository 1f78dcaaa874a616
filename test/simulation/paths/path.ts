import type { Database } from "../../../src/database/database.js";
import type { Clock } from "../../../src/platform/clock.js";
import type { Facts } from "../facts.js";
import type { Planted } from "../planted.js";
import type { Random } from "../random.js";
import type { Rules } from "../rules.js";
import type { SimApi } from "../sim-api.js";
import type { SimFal } from "../sim-fal.js";
import type { SimMachine } from "../sim-machine.js";
import type { SimPerson } from "../sim-person.js";
import type { SimTelegram } from "../sim-telegram.js";
import type { Way } from "../way.js";

/** Does one thing, and tells what. */
export type Act = () => Promise<string> | string;
/** The heavier the likelier. */
export type WeightedAct = readonly [weight: number, act: Act];

/** What acts need of a world. */
interface WorldOfActs {
  telegram: SimTelegram;
  fal: SimFal;
  api: SimApi;
  rules: Rules;
  clock: Clock;
  /** When the process that runs was started, by the monotonic clock. */
  startedAt: number;
  /** Moves time on. */
  pass(ms: number): Promise<void>;
  /** Stops the service, and starts it after some time. */
  away(ms: number): Promise<string>;
  /** Other models and prices from now on. */
  changeCatalogue(): Promise<void>;
  /** The disk loses what waits for somebody who cannot be written to. Returns the number of the order, if any. */
  loseFiles(userId: number): number | undefined;
  /** Makes a backup, as the service does every night. */
  backUp(): Promise<string>;
  /** Loses the data, and goes on with the newest backup. */
  restore(): Promise<string>;
  /** Does something to the database beside the service, as `ctl` does. Where there is no room it is left. */
  beside(work: (database: Database) => Promise<unknown>): void;
}

/** Who can do something. */
export interface Cast {
  world: WorldOfActs;
  people: readonly SimPerson[];
  /** One of the first so many people, or of all. */
  someone(most?: number): SimPerson;
  admin: SimPerson;
  /** A program with a key of the first person. */
  machine: SimMachine;
  random: Random;
  /** Somebody who was never here before. */
  newcomer(): SimPerson;
}

/**
 * One way on which money, orders or what is known of people move. A world has some of them; what those of the whole
 * service promise is judged in all of its worlds.
 */
export interface SimPath {
  /** Where it stands; by default in the whole service. */
  way?: Way;
  /** Names of paths whose promises end with it: no world has both. */
  excludes?: readonly string[];
  rulesOf?(random: Random, clock: Clock): Rules;
  actsOf?(cast: Cast): readonly WeightedAct[];
  /** Triggers, which note in `sim_wrong` what must not be written, and in `sim_act` what has to be in the audit. */
  watch?: string;
  /** Rows that show something that has not ended. */
  open?: readonly string[];
  /** Tells what is wrong when everything has come to rest. */
  judge?(facts: Facts): string[];
  planted: Readonly<Record<string, Planted>>;
}

/** Does one thing after the other, each when the answer to the one before should be there. */
export async function inTurn({ world, random }: Cast, steps: readonly (() => string)[]): Promise<string> {
  const told: string[] = [];
  for (const step of steps) {
    if (told.length > 0) await world.pass(random.integer(400, 3000));
    told.push(step());
  }
  return told.join("; ");
}
