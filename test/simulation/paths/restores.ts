import type { Cast, SimPath } from "./path.js";

/** Backups are made, the world goes on, the data is lost, and a backup takes its place. */
export const restores: SimPath = {
  // What these promise ends with the data that knew of it.
  excludes: ["albums", "broadcasts", "forgetting", "groups", "promoCodes", "support", "yookassa"],
  actsOf: (cast) => {
    const { world, someone } = cast;
    return [
      [3, () => world.backUp()],
      [1.5, () => world.restore()],
      [5, () => loseOrder(cast)],
      [6, () => someone(2).buy()],
      [12, () => someone().act()],
    ];
  },
  planted: {
    "a restore that nobody remembers": { isRestoreForgotten: true },
    "payments that a backup lacks and nobody finds": { dropped: "getStarTransactions" },
  },
};

/** A confirmed order is sent to its service by then. */
const LOST_WITHIN_MS = 1500;

/** A backup is made while an order is on its way to a service, which takes it before the data is lost. */
async function loseOrder({ world, someone, admin, random }: Cast): Promise<string> {
  const person = someone(3);
  const told = [
    admin.say(`/credit ${person.id} 90`),
    person.say(`/image lost number ${person.id} of ${world.telegram.nextMessageId() + 10_000}`),
  ];
  await world.pass(random.integer(400, 3000));
  told.push(person.press(/^c:.*:y:/, "/image"));
  const isHeldUp = random.chance(0.6);
  if (isHeldUp) world.fal.mood = "throttled";
  await world.pass(random.integer(1, isHeldUp ? 2 * LOST_WITHIN_MS : LOST_WITHIN_MS));
  told.push(await world.backUp());
  world.fal.mood = "good";
  await world.pass(random.integer(1000, isHeldUp ? 90_000 : 20_000));
  told.push(await world.restore());
  return told.join("; ");
}
