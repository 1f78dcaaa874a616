import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { type AdminService, createAdminService } from "../../../src/core/admin-service.js";
import { Database } from "../../../src/database/database.js";
import { IMAGE, openTestCore, order, type TestCore } from "../../support/core.js";

let world: TestCore;
let beside: Database;

/** An admin service on its own database handles, as in another process. */
function openAdminService(): AdminService {
  beside = Database.open({
    file: join(world.directory, "atelier.db"),
    role: "tool",
  });
  return createAdminService(beside, world.clock);
}

afterEach(async () => {
  await beside.close();
});

describe("the admin service next to a running core", () => {
  test("credits an amount that can be spent at once", async () => {
    world = openTestCore();
    const ann = await world.begun();
    const adminService = openAdminService();
    expect(await adminService.credit(1, asKopecks(100_00), "gift")).toEqual({
      outcome: "done",
      balanceKopecks: 100_00,
      debtPaidKopecks: 0,
    });
    expect(await ann.balance()).toMatchObject({ amount: 100 });
    const { job_id } = await order(ann, "one");
    expect((await world.ended(ann, job_id)).status).toBe("done");
    expect(adminService.entries(1)).toMatchObject([
      { kind: "credit", amount: 100_00, reason: "gift", actor: "ctl" },
      { kind: "charge", order_id: "one", job_id, actor: "service" },
    ]);
    expect(adminService.account(1).balance).toBe(world.adminService.account(1).balance);
  });

  test("and the core lose none of each other's writes", async () => {
    world = openTestCore();
    const ann = await world.person(1, 1000_00);
    const adminService = openAdminService();
    const work: Promise<unknown>[] = [];
    for (let n = 0; n < 40; n += 1) {
      work.push(adminService.credit(1, asKopecks(1_00), null), order(ann, `order-${n}`, IMAGE));
    }
    await Promise.all(work);
    const unit = (await ann.job(1)).cost_rub * 100;
    expect(adminService.account(1).balance).toBe(1000_00 + 40 * 1_00 - 40 * unit);
    expect(adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  });

  test("creates, shows and lists accounts without Telegram, and rejects unknown ones", async () => {
    world = openTestCore();
    const adminService = openAdminService();
    const made = await adminService.createAccount("N");
    expect(made).toMatchObject({ id: 1, name: "N", identities: [], balance: 0 });
    expect(adminService.accounts()).toEqual([made]);
    expect(await adminService.debit(1, asKopecks(1), null)).toEqual({
      outcome: "too_large",
      balanceKopecks: 0,
    });
    expect(() => adminService.account(2)).toThrow("no account 2");
    expect(() => adminService.entries(2)).toThrow("no account 2");
    await expect(adminService.credit(2, asKopecks(1), null)).rejects.toThrow("no account 2");
  });
});
