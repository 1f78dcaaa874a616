import { chmodSync, statSync } from "node:fs";

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
