import { join } from "node:path";
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
  const unlock = lock(dataDir);
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
  try {
    return Database.open({ file, ...parts, role });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw settingFault("DATA_DIR", `${file} cannot be used`, error);
  }
}

function lock(directory: string): () => void {
  try {
    return lockDataDir(directory);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw settingFault("DATA_DIR", `${directory} cannot be used`, error);
  }
}
