import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../platform/is-within.js";
import { makeDirectory } from "../platform/make-directory.js";
import { StartError, settingFault } from "../platform/start-error.js";

const PROBE_FILE = ".atelier-probe";

/** Makes the folder of backups and checks that it can be written, and is not in the data. Throws StartError. */
export function openBackupDirectory(directory: string, dataDir: string): void {
  try {
    makeDirectory(directory);
    writeFileSync(join(directory, PROBE_FILE), "");
    rmSync(join(directory, PROBE_FILE));
  } catch (error) {
    throw settingFault("BACKUP_DIR", `${directory} cannot be written`, error);
  }
  // A link may lead into the data.
  if (isWithin(realpathSync(directory), realpathSync(dataDir)))
    throw new StartError(`BACKUP_DIR: ${directory} is in DATA_DIR: a disk that is lost takes both`);
}
