import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { createAdminService } from "../../../src/core/admin-service.js";
import { Database } from "../../../src/database/database.js";
import { IMAGE, openTestCore, order } from "../../support/core.js";

test("the core and an admin service of another process lose none of each other's writes", async () => {
  const world = openTestCore();
  const ann = await world.person(1, 1000_00);
  const beside = Database.open({ file: join(world.directory, "atelier.db"), role: "tool" });
  onTestFinished(() => beside.close());
  const adminService = createAdminService(beside, world.clock);
  const work: Promise<unknown>[] = [];
  for (let n = 0; n < 40; n += 1) {
    work.push(adminService.credit(1, asKopecks(1_00), null), order(ann, `order-${n}`, IMAGE));
  }
  await Promise.all(work);
  const unit = (await ann.job(1)).cost_rub * 100;
  expect(adminService.account(1).balance).toBe(1000_00 + 40 * 1_00 - 40 * unit);
  expect(adminService.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
});
