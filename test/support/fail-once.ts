import type { Boundary } from "../../src/platform/boundary.js";
import { systemError } from "./fickle-disk.js";

/** A boundary at which the disk fails once: the first time that a name has all of these parts. */
export function failOnce(...parts: readonly string[]): Boundary & { hasFailed: boolean } {
  const boundary = Object.assign(
    (name: string) => {
      if (boundary.hasFailed || !parts.every((part) => name.includes(part))) return;
      boundary.hasFailed = true;
      throw systemError("EIO");
    },
    { hasFailed: false },
  );
  return boundary;
}
