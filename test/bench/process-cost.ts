import { readFileSync } from "node:fs";

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
  return fieldMb(pid, "VmHWM");
}

/** What a process holds now, in MB of a million bytes; 0 once it has ended. */
export function memoryMb(pid: number): number {
  try {
    return fieldMb(pid, "VmRSS");
  } catch {
    return 0;
  }
}

function fieldMb(pid: number, name: string): number {
  const kib = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kib ?? 0) * 1024) / 1e6;
}
