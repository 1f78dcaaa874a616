import { afterEach, expect, test } from "vitest";
import { LOOK_INTERVAL_MS, PauseAlerts, TRY_AGAIN_MS } from "../../../src/bot/pause-alerts/pause-alerts.js";
import type { PauseReason } from "../../../src/ports/provider.js";
import { type BotWorld, openBotWorld } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { silentLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";
import { paused, UP } from "../../support/provider-states.js";

const ENGLISH = 1;
const RUSSIAN = 2;

let alerts: PauseAlerts;
afterEach(() => alerts.stop());

interface Told {
  to: number;
  text: string;
}

/** The alerts of one start of the service. */
function start(
  world: BotWorld,
  pauses: Map<string, PauseReason | undefined>,
  isReached = () => true,
): Told[] {
  const told: Told[] = [];
  const sendMessage = async (to: number, text: string) => {
    if (!isReached()) throw new Error("blocked");
    told.push({ to, text });
  };
  alerts = new PauseAlerts({
    api: { sendMessage } as never,
    database: world.database,
    upstreams: () => [...pauses].map(([name, reason]) => ({ name, state: reason ? paused(reason) : UP })),
    adminIds: new Set([ENGLISH, RUSSIAN]),
    languageOf: (id) => texts.in(id === RUSSIAN ? "ru" : "en"),
    clock: world.clock,
    logger: silentLogger(),
  });
  alerts.start();
  return told;
}

test("each admin is told once of a pause and once of its end, in the own language", async () => {
  const world = openBotWorld();
  const pauses = new Map<string, PauseReason | undefined>([["fal", undefined]]);
  const told = start(world, pauses);
  await world.clock.advance(LOOK_INTERVAL_MS);
  expect(told).toEqual([]);
  pauses.set("fal", "no_credit");
  await world.clock.advance(LOOK_INTERVAL_MS);
  await eventually("both", () => told.length === 2);
  expect(told[0]).toMatchObject({ to: ENGLISH, text: expect.stringContaining("fal takes no new tasks") });
  expect(told[1]).toMatchObject({ to: RUSSIAN, text: expect.stringContaining("кончились деньги") });
  await turnOfEvents();
  await world.clock.advance(10 * LOOK_INTERVAL_MS);
  expect(told).toHaveLength(2);
  pauses.set("fal", undefined);
  await world.clock.advance(LOOK_INTERVAL_MS);
  await eventually("both again", () => told.length === 4);
  expect(told[2]?.text).toBe("✅ fal takes tasks again.");
});

test("a restart repeats nothing, and tells what ended meanwhile", async () => {
  const world = openBotWorld();
  const pauses = new Map<string, PauseReason | undefined>([["fal", "locked"]]);
  const before = start(world, pauses);
  await eventually("both", () => before.length === 2);
  await alerts.stop();
  const told = start(world, pauses);
  await turnOfEvents();
  await world.clock.advance(LOOK_INTERVAL_MS);
  expect(told).toEqual([]);
  await alerts.stop();
  pauses.set("fal", undefined);
  const later = start(world, pauses);
  await eventually("both again", () => later.length === 2);
});

test("an admin who cannot be reached is tried again later, not at every look", async () => {
  const world = openBotWorld();
  let tries = 0;
  const told = start(world, new Map([["fal", "key_refused"]]), () => {
    tries += 1;
    return tries > 2;
  });
  await eventually("both tries", () => tries === 2);
  await turnOfEvents();
  await world.clock.advance(LOOK_INTERVAL_MS);
  await turnOfEvents();
  expect(tries).toBe(2);
  await world.clock.advance(TRY_AGAIN_MS);
  await eventually("both", () => told.length === 2);
});
