import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type AdminService, createAdminService } from "../../../src/core/core.js";
import { Database } from "../../../src/database/database.js";
import { IMAGE, openTestCore, order, type TestCore } from "../../support/core.js";

let world: TestCore;
let beside: Database;

/** A desk on handles of its own, as another process has them. */
function openDeskBeside(): AdminService {
  beside = Database.open({
    file: join(world.directory, "atelier.db"),
    role: "tool",
  });
  return createAdminService({ database: beside, clock: world.clock });
}

afterEach(async () => {
  await beside.close();
  await world.close();
});

describe("the operator's desk beside a running core", () => {
  test("what it credits can be spent at once", async () => {
    world = openTestCore();
    await world.core.start();
    const ann = await world.person(1);
    const desk = openDeskBeside();
    expect(await desk.credit(1, 100_00, "gift")).toEqual({ outcome: "done", balanceKopecks: 100_00 });
    expect(await ann.balance()).toMatchObject({ amount: 100 });
    const { job_id } = await order(ann, "one");
    expect((await world.ended(ann, job_id)).status).toBe("done");
    expect(desk.entries(1)).toMatchObject([
      { kind: "credit", amount: 100_00, reason: "gift", actor: "ctl" },
      { kind: "charge", order_id: "one", job_id, actor: "service" },
    ]);
    expect(desk.account(1).balance).toBe(world.desk.account(1).balance);
  });

  test("its writes and the core's lose nothing to each other", async () => {
    world = openTestCore();
    const ann = await world.person(1, 1000_00);
    const desk = openDeskBeside();
    const work: Promise<unknown>[] = [];
    for (let n = 0; n < 40; n += 1) {
      work.push(desk.credit(1, 1_00, null), order(ann, `order-${n}`, IMAGE));
    }
    await Promise.all(work);
    const unit = (await ann.job(1)).cost_rub * 100;
    expect(desk.account(1).balance).toBe(1000_00 + 40 * 1_00 - 40 * unit);
    expect(desk.verifyLedger()).toEqual({ accounts: 1, mismatches: 0 });
  });

  test("makes, shows and lists accounts without Telegram, and refuses unknown ones", async () => {
    world = openTestCore();
    const desk = openDeskBeside();
    const made = await desk.createAccount("N");
    expect(made).toMatchObject({ id: 1, name: "N", identities: [], balance: 0 });
    expect(desk.accounts()).toEqual([made]);
    expect(await desk.debit(1, 1, null)).toEqual({ outcome: "too_large", balanceKopecks: 0 });
    expect(() => desk.account(2)).toThrow("no account 2");
    expect(() => desk.entries(2)).toThrow("no account 2");
    await expect(desk.credit(2, 1, null)).rejects.toThrow("no account 2");
  });
});
