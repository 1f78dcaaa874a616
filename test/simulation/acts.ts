import { MINUTE_MS } from "../../src/platform/units.js";
import type { Act, Cast as CastOfPaths, SimPath, WeightedAct } from "./paths/path.js";
import { PATHS } from "./paths/paths.js";
import type { Random } from "./random.js";
import { SimPerson } from "./sim-person.js";
import { ADMIN_ID } from "./surroundings.js";
import type { World } from "./world.js";

interface Cast extends CastOfPaths {
  world: World;
}

const PEOPLE = { least: 3, most: 10 };
/** How often the theme decides what happens. */
const SHARE_OF_THEME = 0.8;
const FIRST_ID = 101;
const FULL_MS_MAX = 20_000;

/** Does one thing at each call, and tells what: mostly people act, at times an admin, the disk or the clock. */
export function actsOf(world: World, random: Random): Act {
  const newPerson = (id: number) => new SimPerson(id, world.telegram, random.fork());
  const count = random.integer(PEOPLE.least, PEOPLE.most);
  const people = Array.from({ length: count }, (_, index) => newPerson(FIRST_ID + index));
  let newcomers = 0;
  const newcomer = () => {
    newcomers += 1;
    return newPerson(FIRST_ID + PEOPLE.most + newcomers);
  };
  const cast = {
    world,
    people,
    someone(most?: number) {
      const one = random.pick(people.slice(0, most));
      if (!one) throw new Error("there is nobody");
      return one;
    },
    admin: newPerson(ADMIN_ID),
    machine: world.newMachine(FIRST_ID),
    random,
    newcomer,
  };
  const { theme } = world;
  const isOfTheme = (path: SimPath) => theme.paths.some((name) => PATHS[name] === path);
  const actsOf = (paths: readonly SimPath[]) => paths.flatMap((path) => path.actsOf?.(cast) ?? []);
  const acts = [
    ...ofPeople(cast),
    ...ofSurroundings(cast),
    ...(world.way === "embedded" ? ofMoney(cast) : []),
    ...actsOf(world.paths.filter((path) => !isOfTheme(path))),
  ];
  const often = [...(theme.actsOf?.(cast) ?? []), ...actsOf(world.paths.filter(isOfTheme))];
  return () => random.weighted(often.length > 0 && random.chance(SHARE_OF_THEME) ? often : acts)();
}

function ofPeople({ someone, admin, random }: Cast): WeightedAct[] {
  return [
    [20, () => someone().act()],
    [1, () => admin.say(`/${random.pick(["credit", "debit"])} ${someone().id} ${random.integer(1, 90)}`)],
    [1, () => (random.chance(0.5) ? admin.say("/orders") : admin.act())],
  ];
}

/** The whole service has the machines of its people, and a till. */
function ofMoney({ world, people, admin, machine, random }: Cast): WeightedAct[] {
  return [
    [10, () => machine.act()],
    [1, () => admin.say(`/refund ${random.integer(1, 4)}`)],
    [1, () => admin.act()],
    [1, () => world.telegram.stars.refundElsewhere()],
    [10, () => people[0]?.buy() ?? ""],
  ];
}

function ofSurroundings({ world, random }: Cast): WeightedAct[] {
  const { disk, clock } = world;
  // A start takes a clock that was set by hours for the time that a link has not come.
  const hasLateLinks = world.way === "front_end" && world.api.areLinksLate;
  return [
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
        const minutes = random.pick(hasLateLinks ? [-5, 5] : [-180, -5, 5, 180, 26 * 60]);
        clock.step(minutes * MINUTE_MS);
        world.telegram.book.isClockSet = true;
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
  ];
}
