import type { ReadAt } from "../../src/transfer/file-facts.js";

/** Reads from bytes in memory. */
export function readerOf(bytes: Buffer): ReadAt {
  return async (offset, length) => bytes.subarray(offset, offset + length);
}
