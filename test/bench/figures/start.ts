import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { Crowd } from "../crowd.js";
import { writeFinishedOrders } from "../finished-work.js";
import { startProgram, withDirectory } from "../program.js";
import { atMost, type Figure } from "../report.js";
import { scaled } from "../scale.js";
import { median } from "../statistics.js";

const APP = new URL("../../../../dist/app.js", import.meta.url).href;
const ROUNDS = scaled(5, 1);
const ORDERS = scaled(100_000, 1000);
/** What the start sets going is let end before the process is. */
const SETTLE_MS = 300;

const EMPTY_GOAL_MS = 700;
const FULL_GOAL_MS = 1500;
const METRICS_GOAL_MS = 50;

/** From the spawning of the process to its first poll and its metrics, compiled as in the image: an empty database, and a large one. */
export async function measureStart(): Promise<Figure[]> {
  return withDirectory(async (cache) => {
    compileInto(cache);
    const empty: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      empty.push((await withDirectory((directory) => startOnce(directory, cache))).startMs);
    const full = await withDirectory(async (directory) => {
      await writeFinishedOrders(directory, ORDERS);
      const starts: Start[] = [];
      for (let round = 0; round < ROUNDS; round += 1) starts.push(await startOnce(directory, cache));
      return starts;
    });
    return [
      figure("from spawning to the first poll, empty database", empty, EMPTY_GOAL_MS),
      figure(
        `   the same with ${ORDERS} finished orders`,
        full.map(({ startMs }) => startMs),
        FULL_GOAL_MS,
      ),
      figure(
        "   and the first /metrics after it",
        full.map(({ metricsMs }) => metricsMs),
        METRICS_GOAL_MS,
      ),
    ];
  });
}

function compileInto(cache: string): void {
  const code = `import(${JSON.stringify(APP)})`;
  execFileSync(process.execPath, ["--eval", code], { env: { NODE_COMPILE_CACHE: cache } });
}

function figure(what: string, times: readonly number[], goalMs: number): Figure {
  return atMost(what, median(times), goalMs, " ms");
}

interface Start {
  startMs: number;
  /** Of the first scrape. */
  metricsMs: number;
}

async function startOnce(directory: string, cache: string): Promise<Start> {
  const { sandbox } = await Crowd.open(1);
  const service = await startProgram("service", {
    apiRoot: sandbox.url,
    dataDir: directory,
    environment: { NODE_COMPILE_CACHE: cache },
  });
  await sandbox.waitForPoller();
  const startMs = performance.now() - service.spawnedAt;
  await pause(SETTLE_MS);
  const askedAt = performance.now();
  await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
  const metricsMs = performance.now() - askedAt;
  await service.stop();
  await sandbox.close();
  return { startMs, metricsMs };
}
