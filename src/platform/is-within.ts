import { relative, resolve, sep } from "node:path";

/** Tells whether a path is a folder itself or below it, by their names alone. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}
