import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { childrenOf } from "../../support/processes.js";
import { apiKeys } from "../api-keys.js";
import { PacedJobs } from "../load/paced-jobs.js";
import { memoryMb } from "../process-cost.js";
import { isUp, type RunningProgram, startProgram, withDirectory } from "../program.js";
import type { MemoryInUse } from "../programs/memory-after-gc.js";
import { type Figure, say } from "../report.js";
import { isShort, scaled } from "../scale.js";
import { startStandIn } from "../stand-in.js";

const ACCOUNTS = 10;
const JOBS_A_SECOND = 5;
const DURATION_MS = scaled(600_000, 1000);
const MARK_EVERY_MS = scaled(15_000, 500);
/** Caches and pools fill up: what is held before counts as no growth. */
const WARM_UP_MS = scaled(120_000, 0);
/** A machine that has other work may take long. */
const JOB_TIMEOUT_MS = 600_000;
/** Idle connections close in this time. */
const REST_MS = scaled(30_000, 100);
const MB_A_MINUTE_GOAL = 0.5;
const RESIDENT_MB_GOAL = 30;
/** The two processes that read files stay, with their pipes. */
const FILES_GOAL = 20;

/** Each of the three services makes one of them. */
const PICTURE = { type: "image", model_key: "z-image-turbo", prompt: "a lighthouse in a storm" };
const DRAFT = { type: "image", model_key: "nano-banana-2-lite", prompt: "a lighthouse in a storm" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };
const PICTURES = Array.from({ length: 9 }, () => [PICTURE, DRAFT]).flat();
/** kie is not asked about a song in its first seconds. */
const REQUESTS = isShort() ? PICTURES : [...PICTURES, SONG];

const TIMING = { queueMs: 500, runMs: 2500 };
const SMALL = { side: 512, bytes: 500_000 };

interface Mark {
  atMs: number;
  memory: MemoryInUse;
  /** Of the processes that read and convert files. */
  childrenMb: number;
  files: number;
}

/** Jobs at the stand-ins for ten minutes: what the service holds must not grow with them. */
export function measureSoak(): Promise<Figure[]> {
  return withDirectory(async (dataDir) => {
    const standIn = await startStandIn(TIMING, SMALL);
    const service = await startProgram("service", {
      dataDir,
      nodeArguments: [
        "--expose-gc",
        "--import",
        new URL("../programs/memory-after-gc.js", import.meta.url).href,
      ],
      environment: standIn.environment(["fal", "replicate", "kie"]),
    });
    await isUp(service);
    const jobs = new PacedJobs({
      port: service.port,
      keys: await apiKeys(dataDir, ACCOUNTS),
      requests: REQUESTS,
      perSec: JOBS_A_SECOND,
      durationMs: DURATION_MS,
      jobTimeoutMs: JOB_TIMEOUT_MS,
    });
    const rested = [await markOf(service)];
    const marks = await watch(service, jobs);
    await pause(REST_MS);
    rested.push(await markOf(service));
    await service.stop();
    await standIn.close();
    return report(jobs, marks, rested);
  });
}

/** Marks at equal times while the jobs are made. */
async function watch(service: RunningProgram, jobs: PacedJobs): Promise<Mark[]> {
  const marks: Mark[] = [];
  let isOver = false;
  const run = jobs.run().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([run, pause(MARK_EVERY_MS)]);
    const mark = await markOf(service);
    marks.push(mark);
    say(describe(mark, jobs));
  }
  await run;
  return marks;
}

async function markOf({ pid, child }: RunningProgram): Promise<Mark> {
  const answer = once(child, "message");
  child.send("memory");
  const [memory] = (await answer) as [MemoryInUse];
  return {
    atMs: performance.now(),
    memory,
    childrenMb: childrenOf(pid).reduce((sum, one) => sum + memoryMb(one), 0),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function describe({ memory, childrenMb, files }: Mark, { counts }: PacedJobs): string {
  const { heapMb, buffersMb, residentMb } = memory;
  const failed = [...counts.failed.values()].reduce((sum, count) => sum + count, 0);
  return [
    `posted ${counts.posted}, done ${counts.done}, failed ${failed}`,
    `heap ${heapMb.toFixed(1)} MB, buffers ${buffersMb.toFixed(1)} MB, resident ${residentMb.toFixed(0)} MB`,
    `child processes ${childrenMb.toFixed(0)} MB`,
    `open files ${files}`,
  ].join(" · ");
}

function report({ counts }: PacedJobs, marks: readonly Mark[], rested: readonly Mark[]): Figure[] {
  const begunAt = marks[0]?.atMs ?? 0;
  const steady = marks.filter(({ atMs }) => atMs - begunAt >= WARM_UP_MS);
  const failures = [...counts.failed].map(([reason, count]) => `, ${count}: ${reason}`).join("");
  if (counts.done === 0) throw new Error(`no job was done${failures}`);
  const [before, after] = rested as readonly [Mark, Mark];
  const ends = (measure: (mark: Mark) => number) =>
    `${[steady.at(0), steady.at(-1)].map((mark) => mark && measure(mark).toFixed(0)).join(", ")} MB`;
  return [
    {
      what: `${counts.posted} jobs, ${JOBS_A_SECOND * 60} a minute: done`,
      measured: `${counts.done}${failures}`,
      goal: "all",
      isReached: counts.done === counts.posted,
    },
    growth("heap after garbage collection", steady, ({ memory }) => memory.heapMb + memory.buffersMb),
    {
      what: "   resident memory at rest: before, after",
      measured: `${before.memory.residentMb.toFixed(0)}, ${after.memory.residentMb.toFixed(0)} MB`,
      goal: `≤ ${RESIDENT_MB_GOAL} MB more`,
      isReached: after.memory.residentMb - before.memory.residentMb <= RESIDENT_MB_GOAL,
    },
    { what: "   resident memory under load: begin, end", measured: ends(({ memory }) => memory.residentMb) },
    { what: "   that of child processes: begin, end", measured: ends(({ childrenMb }) => childrenMb) },
    {
      what: "   open files at rest: before, after",
      measured: `${before.files}, ${after.files}`,
      goal: `≤ ${FILES_GOAL} more`,
      isReached: after.files - before.files <= FILES_GOAL,
    },
    {
      what: "   open files under load: begin, end, a minute",
      measured: `${steady.at(0)?.files}, ${steady.at(-1)?.files}, ${perMinute(steady, ({ files }) => files).toFixed(1)}`,
    },
  ];
}

function growth(name: string, marks: readonly Mark[], measure: (mark: Mark) => number): Figure {
  const aMinute = perMinute(marks, measure);
  const ends = [marks.at(0), marks.at(-1)].map((mark) => mark && measure(mark).toFixed(1));
  return {
    what: `   ${name}: begin, end, a minute`,
    measured: `${ends.join(", ")}, ${aMinute.toFixed(2)} MB`,
    goal: `≤ ${MB_A_MINUTE_GOAL} MB a minute`,
    isReached: aMinute <= MB_A_MINUTE_GOAL,
  };
}

/** The slope of the line that fits the marks best. */
function perMinute(marks: readonly Mark[], measure: (mark: Mark) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const times = marks.map(({ atMs }) => atMs / 60_000);
  const values = marks.map(measure);
  const [time, value] = [mean(times), mean(values)];
  const covariance = mean(times.map((at, index) => (at - time) * ((values[index] ?? value) - value)));
  return covariance / mean(times.map((at) => (at - time) ** 2));
}
