import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Creates a directory and its parents, for the owner only. Node's own recursion never returns below /proc. */
export function makeDirectory(path: string): void {
  const full = resolve(path);
  const found = statSync(full, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new Error(`${full} is a file, not a folder`);
  const parent = dirname(full);
  if (parent !== full) makeDirectory(parent);
  try {
    mkdirSync(full, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
