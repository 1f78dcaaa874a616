import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { hasCode } from "./errors.js";

const RIGHTS_OF_OTHERS = 0o077;

/** Removes the rights of all but the owner from existing paths. Returns those that could not be changed. */
export function makePrivate(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & RIGHTS_OF_OTHERS) === 0) return false;
    try {
      chmodSync(path, mode & 0o777 & ~RIGHTS_OF_OTHERS);
      return false;
    } catch {
      return true;
    }
  });
}

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
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/** Tells whether a path is a folder itself or below it, by their names alone. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

/** Syncs a file or folder to the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
