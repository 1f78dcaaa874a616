import type { ReadAt } from "../../src/transfer/remote-bytes.js";

/** Reads from bytes in memory. */
export function readerOf(bytes: Buffer): ReadAt {
  return async (offset, length) => bytes.subarray(offset, offset + length);
}
