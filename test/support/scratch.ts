import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Room that all tests together never fill, in bytes. */
const ROOM_BYTES = 6 * 1024 ** 3;

/** A folder in memory, where the system has one with enough room: no test outlives a power cut, and fsync is slow. */
function roomyFolder(): string {
  const inMemory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * What all tests of a run leave behind stands in one folder, which goes with the run: a machine that tests every
 * change would fill up with it.
 */
export function makeScratch(within: string): () => void {
  const before = process.env.TMPDIR;
  const scratch = mkdtempSync(join(within, "atelier-test-"));
  // Some tests go on as another user.
  chmodSync(scratch, 0o755);
  process.env.TMPDIR = scratch;
  // Most of what a child process does to start is to compile the same modules.
  process.env.NODE_COMPILE_CACHE = join(scratch, "compile-cache");
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    delete process.env.NODE_COMPILE_CACHE;
    rmSync(scratch, { recursive: true, force: true });
  };
}

export default (): (() => void) => makeScratch(roomyFolder());
