import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder, which goes with all others of the run. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "atelier-"));
}
