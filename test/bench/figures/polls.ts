import { setTimeout as pause } from "node:timers/promises";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import type { RunningProgram } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";

const MEASURED_MS = scaled(45_000, 1000);

export interface PollCount {
  all: number;
  late: number;
}

interface PollsOptions {
  /** What is polled, such as `20000 open jobs`. */
  what: string;
  warmUpMs: number;
  cpuGoalPercent: number;
  memoryGoalMb: number;
  /** All polls since the start. */
  count: (program: RunningProgram) => Promise<PollCount>;
}

/** The cost and the lateness of a process that polls what is open elsewhere. */
export async function measurePolls(program: RunningProgram, options: PollsOptions): Promise<Figure[]> {
  const { what, warmUpMs, cpuGoalPercent, memoryGoalMb, count } = options;
  await pause(warmUpMs);
  const before = await count(program);
  const cpu = cpuMs(program.pid);
  const begun = performance.now();
  await pause(MEASURED_MS);
  const elapsedMs = performance.now() - begun;
  const cpuPercent = ((cpuMs(program.pid) - cpu) / elapsedMs) * 100;
  const after = await count(program);
  const polls = after.all - before.all;
  const latePercent = ((after.late - before.late) / polls) * 100;
  const memoryMb = peakMemoryMb(program.pid);
  return [
    {
      what: `polls of ${what} that begin more than 1 s late`,
      measured: `${latePercent.toFixed(2)} %`,
      goal: "≤ 1 %",
      isReached: latePercent <= 1,
    },
    {
      what: "   CPU of one core",
      measured: `${cpuPercent.toFixed(0)} %`,
      goal: `≤ ${cpuGoalPercent} %`,
      isReached: cpuPercent <= cpuGoalPercent,
    },
    {
      what: "   memory (peak)",
      measured: `${memoryMb.toFixed(0)} MB`,
      goal: `≤ ${memoryGoalMb} MB`,
      isReached: memoryMb <= memoryGoalMb,
    },
    { what: "   polls a second", measured: ((polls / elapsedMs) * 1000).toFixed(0) },
  ];
}
