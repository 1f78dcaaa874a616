import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory with its parents, readable by its owner only: it will hold money and people.
 * One level at a time, because Node's own recursive way never ends where a parent takes no directories (/proc).
 * @throws what the system says, also where a file has its name
 */
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
    // Another process may have made it at the same moment.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
