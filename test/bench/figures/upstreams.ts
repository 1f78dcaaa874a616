import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { apiKeys } from "../api-keys.js";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import { isUp, type RunningProgram, startProgram, withDirectory } from "../program.js";
import { atMost, type Figure } from "../report.js";
import { scaled } from "../scale.js";
import { startStandIn } from "../stand-in.js";

/** Films, which are at a service for minutes. So many are polled every 15 s, whatever their age. */
const VIDEO = { type: "video", model_key: "kling-2-5-turbo", prompt: "a lighthouse in a storm" };
const IN_FLIGHT = scaled(5000, 20);
const POSTS_AT_ONCE = 8;
const WARM_UP_MS = scaled(30_000, 1000);
const MEASURED_MS = scaled(45_000, 1000);
const CPU_GOAL_PERCENT = 25;
const MEMORY_GOAL_MB = 250;

/** The cost and the lateness of polling many tasks of one service: fal alone, which is the stand-in. */
export function measureUpstreams(): Promise<Figure[]> {
  return withDirectory(async (dataDir) => {
    const standIn = await startStandIn({ queueMs: 3_600_000, runMs: 0 });
    const environment = { ...standIn.environment(["fal"]), FAL_CONCURRENCY: String(IN_FLIGHT) };
    const service = await startProgram("service", { dataDir, environment });
    await isUp(service);
    const [key = ""] = await apiKeys(dataDir, 1);
    await post(service, key);
    while (acceptedIn(dataDir) < IN_FLIGHT) await pause(500);
    const figures = await measurePolls(service);
    await service.stop();
    await standIn.close();
    return figures;
  });
}

/** A few at once, each after an answer: a slow machine gets no crowd of connections. */
async function post({ port }: RunningProgram, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(VIDEO) };
  let made = 0;
  const postRest = async () => {
    while (made < IN_FLIGHT) {
      made += 1;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/generations`, init);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, postRest));
}

/** Read past the service, which does not notice. */
function acceptedIn(dataDir: string): number {
  const database = new Sqlite(join(dataDir, "atelier.db"), { readonly: true });
  const count = database.prepare("SELECT count(*) FROM attempt WHERE state = 'accepted'").pluck().get();
  database.close();
  return Number(count);
}

async function measurePolls(service: RunningProgram): Promise<Figure[]> {
  await pause(WARM_UP_MS);
  const before = await pollsOf(service);
  const cpu = cpuMs(service.pid);
  const begun = performance.now();
  await pause(MEASURED_MS);
  const elapsedMs = performance.now() - begun;
  const cpuPercent = ((cpuMs(service.pid) - cpu) / elapsedMs) * 100;
  const after = await pollsOf(service);
  const polls = after.all - before.all;
  const latePercent = ((after.late - before.late) / polls) * 100;
  return [
    atMost(`polls of ${IN_FLIGHT} tasks of a service that begin more than 1 s late`, latePercent, 1, " %", 2),
    atMost("   CPU of one core", cpuPercent, CPU_GOAL_PERCENT, " %"),
    atMost("   memory (peak)", peakMemoryMb(service.pid), MEMORY_GOAL_MB, " MB"),
    { what: "   polls a second", measured: ((polls / elapsedMs) * 1000).toFixed(0) },
  ];
}

/** All polls since the start, and the late ones among them. */
async function pollsOf({ port }: RunningProgram): Promise<{ all: number; late: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return { all: sum("atelier_upstream_polls_total"), late: sum("atelier_upstream_late_polls_total") };
}
