import type { Account, AdminService } from "../../src/core/admin-service.js";

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
