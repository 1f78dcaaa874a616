import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process has started, by `/proc`. */
export function childrenOf(pid: number): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((one) => statOf(one)?.parent === pid);
}

/** False for a process that has ended, also where nobody has taken note of that yet. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== "Z";
}

export function environmentOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in parentheses, and may contain anything.
    const [state = "", parent = ""] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
