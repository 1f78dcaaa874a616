import { onTestFinished } from "vitest";
import { type Account, type AdminService, createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";

/** The operator's view of a data directory, beside a service that may run; closed with the test. */
export function openAdmin(dataDir: string): AdminService {
  const database = openDatabase({ dataDir }, "tool");
  onTestFinished(() => database.close());
  return createAdminService(database, systemClock);
}

/** The Telegram user of an account. */
export function userIdOf({ identities }: Account): number | undefined {
  const subject = identities.find(({ kind }) => kind === "telegram")?.subject;
  return subject === undefined ? undefined : Number(subject);
}

/** The account of a Telegram user. */
export function accountOf(adminService: AdminService, userId: number): Account {
  const account = adminService.accounts().find((one) => userIdOf(one) === userId);
  if (!account) throw new Error(`no account of ${userId}`);
  return account;
}
