import { join } from "node:path";
import { finishSwap, isSwapping } from "./backup/swap.js";
import type { Config } from "./config.js";
import { Database, type DatabaseOptions } from "./database/database.js";
import { lockDataDir } from "./database/service-lock.js";
import type { Logger } from "./platform/logger.js";
import { makePrivate } from "./platform/private-files.js";
import { StartError, settingFault } from "./platform/start-error.js";

/** Files in DATA_DIR that contain personal data, money or secrets. */
const PRIVATE_FILES = [
  "accepted-orders.spool",
  "accepted-orders.spool.reserve",
  "atelier.db",
  "atelier.db-wal",
  "atelier.db-shm",
  "link.secret",
  "service.lock",
  "media",
  "references",
  "references.spool",
  "references.spool.reserve",
];

/**
 * Locks a data directory for one service, and closes its files to other users of the machine. Throws StartError.
 * @returns the unlock
 */
export function holdDataDir({ dataDir }: Pick<Config, "dataDir">, logger: Logger): () => void {
  const unlock = lockData(dataDir);
  const keptIn = finishSwap(dataDir);
  if (keptIn !== undefined) logger.warn({ kept_in: keptIn }, "a restore that was interrupted is finished");
  const paths = PRIVATE_FILES.map((name) => join(dataDir, name));
  for (const path of makePrivate(paths)) logger.warn({ path }, "other users may read a file of DATA_DIR");
  return unlock;
}

/** Opens the database of a data directory with all tables. Throws StartError, such as DatabaseTooNewError. */
export function openDatabase(
  { dataDir }: Pick<Config, "dataDir">,
  role: "service" | "tool",
  parts: Pick<DatabaseOptions, "failPoint" | "onUnknownOutcome"> = {},
): Database {
  const file = join(dataDir, "atelier.db");
  if (isSwapping(dataDir))
    throw new StartError(
      "DATA_DIR: a restore was interrupted: start the service or restore again to finish it",
    );
  try {
    return Database.open({ file, ...parts, role });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw settingFault("DATA_DIR", `${file} cannot be used`, error);
  }
}

/** Locks a data directory for one process that writes all of it. Throws StartError. */
export function lockData(directory: string): () => void {
  try {
    return lockDataDir(directory);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw settingFault("DATA_DIR", `${directory} cannot be used`, error);
  }
}
