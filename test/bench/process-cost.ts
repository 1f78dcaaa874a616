import { readFileSync, writeFileSync } from "node:fs";

/** Linux counts CPU time in ticks of 10 ms. */
const MS_A_TICK = 10;

/** CPU time that a process has used so far with all its threads, in ms; its children not counted. */
export function cpuMs(pid: number): number {
  // The name in parentheses may hold blanks: the fields behind it are counted from its end.
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[A-Z] )/);
  const [userTicks, systemTicks] = fields.split(" ").slice(11, 13).map(Number);
  return ((userTicks ?? 0) + (systemTicks ?? 0)) * MS_A_TICK;
}

/** The most memory that a process has held at once, in MB of a million bytes; its children not counted. */
export function peakMemoryMb(pid: number): number {
  const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** Begins a new count of the peak. Returns what the process holds now, in MB of a million bytes. */
export function resetPeakMemory(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return peakMemoryMb(pid);
}
