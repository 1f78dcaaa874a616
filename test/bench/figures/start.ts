import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { writeFinishedOrders } from "../finished-orders.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { median } from "../statistics.js";

const APP = new URL("../../../../dist/app.js", import.meta.url).href;
const ROUNDS = scaled(5, 1);
const ORDERS = scaled(100_000, 1000);
/** What the start sets going is let end before the process is. */
const SETTLE_MS = 300;

const EMPTY_GOAL_MS = 700;
const FULL_GOAL_MS = 2000;

/** From the spawning of the process to its first poll, compiled as in the image: an empty database, and a large one. */
export async function measureStart(): Promise<Figure[]> {
  return withDirectory(async (cache) => {
    compileInto(cache);
    const empty: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      empty.push(await withDirectory((directory) => startOnce(directory, cache)));
    const full = await withDirectory(async (directory) => {
      await writeFinishedOrders(directory, ORDERS);
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await startOnce(directory, cache));
      return times;
    });
    return [
      figure("from spawning to the first poll, empty database", empty, EMPTY_GOAL_MS),
      figure(`   the same with ${ORDERS} finished orders`, full, FULL_GOAL_MS),
    ];
  });
}

function compileInto(cache: string): void {
  const code = `import(${JSON.stringify(APP)})`;
  execFileSync(process.execPath, ["--eval", code], { env: { NODE_COMPILE_CACHE: cache } });
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

async function startOnce(directory: string, cache: string): Promise<number> {
  const api = await BotApi.listen();
  const polled = new Promise<number>((resolve) => {
    api.events.onPoll = () => resolve(performance.now());
  });
  const service = await startProgram("service", {
    apiRoot: api.root,
    dataDir: directory,
    environment: { NODE_COMPILE_CACHE: cache },
  });
  const time = (await polled) - service.spawnedAt;
  await pause(SETTLE_MS);
  await service.stop();
  api.close();
  return time;
}
