import type { FailPoint } from "../../src/platform/fail-point.js";
import { systemError } from "./fickle-disk.js";

/** A fail point at which the disk fails once: the first time that a name has all of these parts. */
export function failOnce(...parts: readonly string[]): FailPoint & { hasFailed: boolean } {
  const failPoint = Object.assign(
    (name: string) => {
      if (failPoint.hasFailed || !parts.every((part) => name.includes(part))) return;
      failPoint.hasFailed = true;
      throw systemError("SQLITE_IOERR");
    },
    { hasFailed: false },
  );
  return failPoint;
}
