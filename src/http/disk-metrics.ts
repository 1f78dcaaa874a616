import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Collector } from "../ports/service.js";

const DATABASE_FILES = ["atelier.db", "atelier.db-wal"];

/** Tells how much room the file system of the data directory has, and how large the database is. */
export function diskMetrics(dataDir: string): Collector {
  return async () => {
    // A disk that is gone must not hide what the other metrics tell of it.
    const space = await statfs(dataDir).catch(() => undefined);
    if (!space) return [];
    const { bavail, blocks, bsize } = space;
    const sizes = DATABASE_FILES.map((name) => sizeOf(join(dataDir, name)));
    const databaseBytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    const gauge = (name: string, help: string, value: number) =>
      ({ name, help, kind: "gauge", samples: [{ value }] }) as const;
    return [
      gauge("atelier_disk_free_bytes", "Free bytes of the file system of DATA_DIR.", bavail * bsize),
      gauge("atelier_disk_size_bytes", "All bytes of the file system of DATA_DIR.", blocks * bsize),
      gauge("atelier_database_bytes", "Size of the database with its log.", databaseBytes),
    ];
  };
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
