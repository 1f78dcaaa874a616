import { readdirSync, readFileSync } from "node:fs";

/** Looks this often, in ms: a decoder fills about 30 MB meanwhile. */
const LOOK_EVERY_MS = 20;

/** Watches the memory of a process and of all that it started. Linux only: it reads /proc. */
export class ResidentMemory {
  readonly #root: number;
  readonly #timer: NodeJS.Timeout;
  /** The most that all of them had together, in bytes. */
  peakBytes = 0;

  constructor(root: number) {
    this.#root = root;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const bytes = familyOf(this.#root).reduce((sum, pid) => sum + residentBytes(pid), 0);
    this.peakBytes = Math.max(this.peakBytes, bytes);
  }
}

/** A process and all that it started, directly or not. */
export function familyOf(root: number): number[] {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const family = new Set([root]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (parent !== undefined && family.has(parent)) family.add(pid);
  }
  return [...family];
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number | undefined {
  // The name of the program stands in brackets and may hold anything.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields && Number(fields[1]);
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Undefined when the process has ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
