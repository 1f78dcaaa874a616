import { setTimeout as pause } from "node:timers/promises";
import { writeFinishedOrders } from "../finished-orders.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { median } from "../statistics.js";

const ROUNDS = scaled(5, 1);
const ORDERS = scaled(100_000, 1000);
/** What the start sets going is let end before the process is. */
const SETTLE_MS = 300;

const EMPTY_GOAL_MS = 700;
const FULL_GOAL_MS = 2000;

/** From the spawning of the process to its first poll: with an empty database, and with a large one. */
export async function measureStart(): Promise<Figure[]> {
  const empty: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) empty.push(await withDirectory(startOnce));
  const full = await withDirectory(async (directory) => {
    await writeFinishedOrders(directory, ORDERS);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await startOnce(directory));
    return times;
  });
  return [
    figure("from spawning to the first poll, empty database", empty, EMPTY_GOAL_MS),
    figure(`   the same with ${ORDERS} finished orders`, full, FULL_GOAL_MS),
  ];
}

function figure(what: string, times: readonly number[], goalMs: number): Figure {
  const time = median(times);
  return {
    what,
    measured: `${time.toFixed(0)} ms`,
    goal: `≤ ${goalMs} ms`,
    isReached: time <= goalMs,
  };
}

async function startOnce(directory: string): Promise<number> {
  const api = await BotApi.listen();
  const polled = new Promise<number>((resolve) => {
    api.events.onPoll = () => resolve(performance.now());
  });
  const service = await startProgram("service", { apiRoot: api.root, dataDir: directory });
  const time = (await polled) - service.spawnedAt;
  await pause(SETTLE_MS);
  await service.stop();
  api.close();
  return time;
}
