import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { makeDirectory } from "../platform/make-directory.js";

/** Another service is using this DATA_DIR. */
export class DataDirInUse extends Error {
  override readonly name = "DataDirInUse";
  constructor(directory: string) {
    super(`another service is running on ${directory}`);
  }
}

/**
 * Holds a data directory for one service. It is a lock of the operating system on a small file, so it
 * ends with the process, however the process ends.
 * @returns releases the lock
 * @throws DataDirInUse
 */
export function lockDataDir(directory: string): () => void {
  makeDirectory(directory);
  const lock = new Sqlite(join(directory, "service.lock"), { timeout: 0 });
  try {
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    // A file that may only be read is not locked by that, and SQLite does not say so. It is never committed.
    lock.pragma("user_version = 1");
  } catch (error) {
    lock.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")
      throw new DataDirInUse(directory);
    throw error;
  }
  return () => lock.close();
}
