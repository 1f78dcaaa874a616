import { setTimeout as pause } from "node:timers/promises";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import type { RunningProgram } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";

const MEASURED_MS = scaled(45_000, 1000);

export interface LookCount {
  all: number;
  late: number;
}

interface LooksOptions {
  /** What is looked at, such as `20000 open jobs`. */
  what: string;
  warmUpMs: number;
  cpuGoalPercent: number;
  memoryGoalMb: number;
  /** All looks since the start. */
  count: (program: RunningProgram) => Promise<LookCount>;
}

/** The cost and the lateness of a process that looks at what is open elsewhere. */
export async function measureLooks(program: RunningProgram, options: LooksOptions): Promise<Figure[]> {
  const { what, warmUpMs, cpuGoalPercent, memoryGoalMb, count } = options;
  await pause(warmUpMs);
  const before = await count(program);
  const cpu = cpuMs(program.pid);
  const begun = performance.now();
  await pause(MEASURED_MS);
  const elapsedMs = performance.now() - begun;
  const cpuPercent = ((cpuMs(program.pid) - cpu) / elapsedMs) * 100;
  const after = await count(program);
  const looks = after.all - before.all;
  const latePercent = ((after.late - before.late) / looks) * 100;
  const memoryMb = peakMemoryMb(program.pid);
  return [
    {
      what: `looks at ${what} that begin more than 1 s late`,
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
    { what: "   looks a second", measured: ((looks / elapsedMs) * 1000).toFixed(0) },
  ];
}
