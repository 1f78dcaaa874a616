/** Loaded before a program that the bench starts with `--expose-gc`: tells its parent, when asked, what is still in use. */
export interface MemoryInUse {
  heapMb: number;
  /** Buffers, such as those of requests. */
  buffersMb: number;
  residentMb: number;
}

const MB = 1e6;

process.on("message", (wish: unknown) => {
  if (wish !== "memory") return;
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const memory = { heapMb: heapUsed / MB, buffersMb: arrayBuffers / MB, residentMb: rss / MB };
  process.send?.(memory satisfies MemoryInUse);
});
