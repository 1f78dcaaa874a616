import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { StartError } from "../platform/errors.js";
import { makeDirectory } from "../platform/private-files.js";
import { isBusy } from "./database.js";
import { openHandle } from "./handle.js";

/** Outlasts `isDataDirLocked`, which holds the file for a moment. */
const LOOK_MS = 50;

export class DataDirInUseError extends StartError {
  override readonly name = "DataDirInUseError";
  constructor(directory: string) {
    super(`another service is running on ${directory}`);
  }
}

/** Locks the folder and returns the release; the lock also ends with the process. Throws DataDirInUseError. */
export function lockDataDir(directory: string): () => void {
  makeDirectory(directory);
  const lock = new Sqlite(join(directory, "service.lock"), { timeout: LOOK_MS });
  try {
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    // SQLite opens a read-only file without an error: this write, which is never committed, fails there.
    lock.pragma("user_version = 1");
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new DataDirInUseError(directory);
    throw error;
  }
  return () => lock.close();
}

/** Tells whether a process holds the lock of the folder. */
export function isDataDirLocked(directory: string): boolean {
  const file = join(directory, "service.lock");
  if (!existsSync(file)) return false;
  using lock = openHandle(file, { timeout: 0, readonly: true });
  try {
    lock.pragma("user_version");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}
