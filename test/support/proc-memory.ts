import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process, in MB. */
export interface ResidentMemory {
  now: number;
  /** The most since the start of the process, or since `forgetPeak`. */
  peak: number;
}

/** What Linux tells of a process in `/proc`. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}

/** Begins to measure the peak anew. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
