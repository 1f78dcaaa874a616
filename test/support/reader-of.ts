import type { ReadAt } from "../../src/platform/read-at.js";

/** Reads from bytes in memory. */
export function readerOf(bytes: Buffer): ReadAt {
  return async (offset, length) => bytes.subarray(offset, offset + length);
}
