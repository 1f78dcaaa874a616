import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Looks this often, in ms: a decoder fills about 30 MB meanwhile. */
const LOOK_EVERY_MS = 20;

/** The processes that a process has started, by `/proc`. */
export function childrenOf(pid: number): number[] {
  return pids().filter((one) => statOf(one)?.parent === pid);
}

/** A process and all that it started, directly or not. */
function familyOf(root: number): number[] {
  const parents = new Map(pids().map((pid) => [pid, statOf(pid)?.parent]));
  const family = new Set([root]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (parent !== undefined && family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** False for a process that has ended, also where nobody has taken note of that yet. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== "Z";
}

export function environmentOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
}

/** Resident memory of a process in MB: now, and the most since its start or since `forgetPeak`. */
export function residentMemory(pid: number): { now: number; peak: number } {
  const status = read(pid, "status") ?? "";
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) / 1024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}

/** Begins to measure the peak anew. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Watches the memory of a process and of all that it started. */
export class FamilyMemory {
  readonly #timer: NodeJS.Timeout;
  /** The most that all of them had together, in MB. */
  peak = 0;

  constructor(root: number) {
    this.#timer = setInterval(() => {
      const now = familyOf(root).reduce((sum, pid) => sum + residentMemory(pid).now, 0);
      this.peak = Math.max(this.peak, now);
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  const text = read(pid, "stat");
  if (text === undefined) return undefined;
  // The name of the program stands in parentheses, and may contain anything.
  const [state = "", parent = ""] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state, parent: Number(parent) };
}

/** Undefined when the process has ended meanwhile. */
function read(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return undefined;
  }
}
