import type { Database } from "../../../src/database/database.js";
import type { Clock } from "../../../src/platform/clock.js";
import type { Facts } from "../facts.js";
import type { Planted } from "../planted.js";
import type { Random } from "../random.js";
import type { Rules } from "../rules.js";
import type { SimPerson } from "../sim-person.js";
import type { SimTelegram } from "../sim-telegram.js";

/** Does one thing, and tells what. */
export type Act = () => Promise<string> | string;
/** The heavier the likelier. */
export type WeightedAct = readonly [weight: number, act: Act];

/** What acts need of a world. */
interface WorldOfActs {
  telegram: SimTelegram;
  rules: Rules;
  clock: Clock;
  /** Does something to the database beside the service, as `ctl` does. Where there is no room it is left. */
  beside(work: (database: Database) => Promise<unknown>): void;
}

/** Who can do something. */
export interface Cast {
  world: WorldOfActs;
  people: readonly SimPerson[];
  admin: SimPerson;
  random: Random;
}

/**
 * One way on which money, orders or what is known of people move, in the whole service. A world has some of them; what
 * each promises is judged in all.
 */
export interface SimPath {
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
