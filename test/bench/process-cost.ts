import { readFileSync } from "node:fs";
import { residentMemory } from "../support/processes.js";

/** Linux counts CPU time in ticks of 10 ms. */
const MS_A_TICK = 10;
const MB_A_MIB = 1024 ** 2 / 1e6;

/** CPU time that a process has used so far with all its threads, in ms; its children not counted. */
export function cpuMs(pid: number): number {
  // The name in parentheses may hold blanks: the fields behind it are counted from its end.
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[A-Z] )/);
  const [userTicks, systemTicks] = fields.split(" ").slice(11, 13).map(Number);
  return ((userTicks ?? 0) + (systemTicks ?? 0)) * MS_A_TICK;
}

/** The most memory that a process has held at once, in MB of a million bytes; its children not counted. */
export function peakMemoryMb(pid: number): number {
  return residentMemory(pid).peak * MB_A_MIB;
}

/** What a process holds now, in MB of a million bytes; 0 once it has ended. */
export function memoryMb(pid: number): number {
  return residentMemory(pid).now * MB_A_MIB;
}
