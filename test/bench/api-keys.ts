import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";

const CREDIT = asKopecks(100_000_000_000);

/** Keys of new accounts with money, one of each, at a service that may run. */
export async function apiKeys(dataDir: string, accounts: number): Promise<string[]> {
  const database = openDatabase({ dataDir }, "tool");
  const admin = createAdminService(database, systemClock);
  const keys: string[] = [];
  for (let account = 0; account < accounts; account += 1) {
    const { id } = await admin.createAccount(`bench ${account}`);
    await admin.credit(id, CREDIT, null);
    keys.push((await admin.createKey(id, null)).key);
  }
  await database.close();
  return keys;
}
