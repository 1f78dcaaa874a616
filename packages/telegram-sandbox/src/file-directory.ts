import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes the bytes of a file below a directory, where its path says. */
export function writeStoredFile(directory: string, { path, bytes }: { path: string; bytes: Buffer }): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), bytes);
}

/** The bytes of a file; none where it is gone. */
export function readStoredFile(directory: string, path: string): Buffer {
  try {
    return readFileSync(join(directory, path));
  } catch {
    return Buffer.alloc(0);
  }
}
