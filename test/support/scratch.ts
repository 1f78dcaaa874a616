import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What all tests of a run leave behind stands in one folder, which goes with the run: a machine that tests every
 * change would fill up with it.
 */
export default function setup(): () => void {
  const before = process.env.TMPDIR;
  const scratch = mkdtempSync(join(tmpdir(), "atelier-test-"));
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
