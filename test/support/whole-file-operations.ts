import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

let running = 0;

/**
 * Returns how many files are read or written whole at this moment. Since Node 26 `process.getActiveResourcesInfo` leaves
 * out `readFile`, `writeFile` and `appendFile`, which it does as one operation.
 */
export function wholeFileOperations(): number {
  return running;
}

type Operation = (...args: never[]) => Promise<unknown>;

function counted<T extends Operation>(operation: T): T {
  const count = async (...args: Parameters<T>) => {
    running += 1;
    try {
      return await operation(...args);
    } finally {
      running -= 1;
    }
  };
  return count as T;
}

fsPromises.readFile = counted(fsPromises.readFile as Operation) as typeof fsPromises.readFile;
fsPromises.writeFile = counted(fsPromises.writeFile);
fsPromises.appendFile = counted(fsPromises.appendFile);
syncBuiltinESMExports();
