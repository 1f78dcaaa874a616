import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { apiKeys } from "../api-keys.js";
import { cpuMs } from "../process-cost.js";
import { type RunningProgram, type StartOptions, startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { ORDER } from "../server/script.js";
import { isUp } from "../service-state.js";
import { p99 } from "../statistics.js";
import { measurePolls } from "./polls.js";

/** Films, which are at a service for minutes. So many are polled every 15 s, whatever their age. */
const VIDEO = { type: "video", model_key: "kling-2-5-turbo", prompt: "a lighthouse in a storm" };
const IN_FLIGHT = scaled(5000, 20);
const POSTS_AT_ONCE = 8;
const WARM_UP_MS = scaled(30_000, 1000);
const CPU_GOAL_PERCENT = 25;
const MEMORY_GOAL_MB = 250;

/** Of pictures at fal: the first poll, and the pause after it. */
const POLL_INTERVAL_MS = 500;
/** Just missed by the first poll. */
const MISSED = { QUEUE_MS: "50", RUN_MS: "500" };
const FILE_GOAL_MS = POLL_INTERVAL_MS + 500;
const ORDERS = scaled(25, 1);
const WARM_UP_ORDERS = scaled(3, 1);

const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a lighthouse in a storm" };
/** Sixteen polls. */
const USUAL = { QUEUE_MS: String(scaled(3000, 100)), RUN_MS: String(scaled(5000, 100)) };
const WARM_UP_JOBS = scaled(20, 1);
const JOBS = scaled(60, 2);
const JOB_CPU_GOAL_MS = 60;

interface World {
  dataDir: string;
  service: RunningProgram;
  standIn: RunningProgram;
}

/** The cost and the lateness of polling many tasks of one service. */
export function measureUpstreams(): Promise<Figure[]> {
  return withStandIn({ QUEUE_MS: "3600000", RUN_MS: "0" }, {}, async ({ dataDir, service }) => {
    const [key = ""] = await apiKeys(dataDir, 1);
    await post(service, key, VIDEO, IN_FLIGHT);
    while (countOf(dataDir, "SELECT count(*) AS count FROM attempt WHERE state = 'accepted'") < IN_FLIGHT)
      await pause(500);
    return measurePolls(service, {
      what: `${IN_FLIGHT} tasks of a service`,
      warmUpMs: WARM_UP_MS,
      cpuGoalPercent: CPU_GOAL_PERCENT,
      memoryGoalMb: MEMORY_GOAL_MB,
      count: pollsOf,
    });
  });
}

/** From the moment that a service has a picture of 2 MB to the photo in the chat. */
export async function measureUpstreamFiles(): Promise<Figure[]> {
  const api = await BotApi.listen();
  try {
    return await withStandIn(MISSED, { apiRoot: api.root }, async ({ standIn }) => {
      const crowd = new Crowd(api, 1);
      const order = async (): Promise<number> => {
        const arrived = new Promise<number>((resolve) => {
          api.events.onPhoto = () => resolve(Date.now());
        });
        for (const step of ORDER.slice(0, -1)) await crowd.all(step);
        // The reply to a payment has no buttons: nobody waits for it.
        for (const step of ORDER.slice(-1)) void crowd.all(step);
        const arrivedAt = await arrived;
        const waitMs = arrivedAt - (await lastReadyAt(standIn));
        await pause(100);
        return waitMs;
      };
      for (let count = 0; count < WARM_UP_ORDERS; count += 1) await order();
      const waits: number[] = [];
      for (let count = 0; count < ORDERS; count += 1) waits.push(await order());
      const waitMs = p99(waits);
      return [
        {
          what: `from ready at a service to the photo, polled every ${POLL_INTERVAL_MS} ms, p99`,
          measured: `${waitMs.toFixed(0)} ms`,
          goal: `≤ ${FILE_GOAL_MS} ms`,
          isReached: waitMs <= FILE_GOAL_MS,
        },
      ];
    });
  } finally {
    api.close();
  }
}

/** What a picture of a service costs this process: mapping, rows, polls, download and storing. */
export function measureUpstreamCost(): Promise<Figure[]> {
  return withStandIn(USUAL, {}, async ({ dataDir, service }) => {
    const [key = ""] = await apiKeys(dataDir, 1);
    const make = async (jobs: number) => {
      const done = () => countOf(dataDir, "SELECT count(*) AS count FROM job WHERE status = 'done'");
      const goal = done() + jobs;
      await post(service, key, PICTURE, jobs);
      while (done() < goal) await pause(200);
    };
    await make(WARM_UP_JOBS);
    const before = cpuMs(service.pid);
    await make(JOBS);
    const jobMs = (cpuMs(service.pid) - before) / JOBS;
    return [
      {
        what: "CPU a picture of 2 MB, without the encoder's process",
        measured: `${jobMs.toFixed(0)} ms`,
        goal: `≤ ${JOB_CPU_GOAL_MS} ms`,
        isReached: jobMs <= JOB_CPU_GOAL_MS,
      },
    ];
  });
}

/** The service with fal alone, which is the stand-in. */
function withStandIn(
  timing: Readonly<Record<string, string>>,
  options: StartOptions,
  use: (world: World) => Promise<Figure[]>,
): Promise<Figure[]> {
  return withDirectory(async (dataDir) => {
    const standIn = await startProgram("standIn", { environment: timing });
    await once(standIn.child, "message");
    const environment = {
      PROVIDERS: "fal",
      FAL_API_KEY: "stand-in",
      FAL_API_ROOT: `http://127.0.0.1:${standIn.port}`,
      FAL_CONCURRENCY: String(IN_FLIGHT),
    };
    const service = await startProgram("service", { ...options, dataDir, environment });
    while (!(await isUp(service))) await pause(50);
    const figures = await use({ dataDir, service, standIn });
    await service.stop();
    await standIn.stop();
    return figures;
  });
}

/** A few at once, each after an answer: a slow machine gets no crowd of connections. */
async function post({ port }: RunningProgram, key: string, request: object, times: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  let made = 0;
  const postRest = async () => {
    while (made < times) {
      made += 1;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/generations`, init);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`answered ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, postRest));
}

/** Read past the service, which does not notice. */
function countOf(dataDir: string, query: string): number {
  const database = new Sqlite(join(dataDir, "atelier.db"), { readonly: true });
  const { count } = database.prepare(query).get() as { count: number };
  database.close();
  return count;
}

async function pollsOf({ port }: RunningProgram): Promise<{ all: number; late: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return { all: sum("atelier_upstream_polls_total"), late: sum("atelier_upstream_late_polls_total") };
}

/** When the newest task was ready, in ms since the epoch. */
async function lastReadyAt({ port }: RunningProgram): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/control/tasks`);
  const tasks = (await answer.json()) as { acceptedAt: number; queueMs: number; runMs: number }[];
  return Math.max(...tasks.map(({ acceptedAt, queueMs, runMs }) => acceptedAt + queueMs + runMs));
}
