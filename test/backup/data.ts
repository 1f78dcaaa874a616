import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { makeBackup } from "../../src/backup/make-backup.js";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { Database } from "../../src/database/database.js";
import { systemClock } from "../../src/platform/clock.js";
import { withTables } from "../support/empty-database.js";

export function scratchFolder(on = tmpdir()): string {
  const folder = mkdtempSync(join(on, "atelier-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** A data directory with an account that has 100 rubles, a link secret, and two finished files. */
export async function dataFolder(): Promise<string> {
  const dataDir = join(scratchFolder(), "data");
  await withData(dataDir, async (service) => {
    const { id } = await service.createAccount("Studio");
    await service.credit(id, asKopecks(10_000), "first");
  });
  put(dataDir, "link.secret", "0123456789abcdef0123456789abcdef\n");
  put(dataDir, "media/files/ab/cd/abcd1.webp", "one");
  put(dataDir, "media/files/ef/01/ef012.mp4", "two");
  put(dataDir, "media/tmp/draft", "not whole");
  return dataDir;
}

/** Works on the accounts of a data directory, as the operator's command line does. */
export async function withData<T>(
  dataDir: string,
  work: (service: ReturnType<typeof createAdminService>, database: Database) => T | Promise<T>,
): Promise<T> {
  const database = Database.open({ file: withTables(join(dataDir, "atelier.db")), role: "service" });
  try {
    return await work(createAdminService(database, systemClock), database);
  } finally {
    await database.close();
  }
}

export function backUp(dataDir: string, target: string, { hasMedia = false, earlier = "" } = {}) {
  const from = earlier === "" ? undefined : earlier;
  return makeBackup({ dataDir, target, hasMedia, earlier: from, program: "1.2.3", clock: systemClock });
}
