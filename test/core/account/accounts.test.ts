import { describe, expect, test } from "vitest";
import { asKopecks, type Kopecks } from "../../../src/contract/price.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

let world: TestCore;

const CORRECTION = {
  userId: 77,
  kopecks: asKopecks(10_00),
  reason: "r",
  actor: "telegram:1",
  idempotencyKey: "k",
};

describe("user accounts", () => {
  test("ten concurrent first contacts create one account with one welcome credit", async () => {
    world = openTestCore({ settings: { welcomeCreditKopecks: asKopecks(50_00) } });
    const { users } = world.core.accounts;
    await Promise.all(Array.from({ length: 10 }, () => users.idOf({ id: 77, name: "Ann" })));
    const accounts = world.adminService.accounts();
    expect(accounts).toMatchObject([
      { id: 1, name: "Ann", identities: [{ kind: "telegram", subject: "77" }], balance: 50_00 },
    ]);
    expect(world.adminService.entries(1)).toMatchObject([
      { kind: "credit", amount: 50_00, balance_after: 50_00, reason: "welcome", actor: "service" },
    ]);
  });

  test("a first contact that could not be written is created by the next one", async () => {
    world = openTestCore({ failPoint: failOnce("commit:before", "account:first-contact") });
    await expect(world.person(77)).rejects.toThrow("SQLITE_IOERR");
    expect(await (await world.person(77)).balance()).toMatchObject({ amount: 0 });
  });

  test("a correction is found by its key, with its account and the balance since", async () => {
    world = openTestCore({ settings: { welcomeCreditKopecks: asKopecks(50_00) } });
    const { users } = world.core.accounts;
    await world.person(77);
    expect(await users.correctionMade("k")).toBeUndefined();
    await users.debit(CORRECTION);
    await users.credit({ ...CORRECTION, kopecks: asKopecks(5_00), idempotencyKey: "l" });
    const made = { userId: 77, kopecks: 10_00, reason: "r", balanceKopecks: 45_00 };
    expect(await users.correctionMade("k")).toEqual(made);
    expect(await users.correctionMade("welcome:1")).toBeUndefined();
  });

  test("reading a balance creates no account", async () => {
    world = openTestCore({ settings: { welcomeCreditKopecks: asKopecks(50_00) } });
    const { users } = world.core.accounts;
    expect(await users.balanceOf(77)).toBeUndefined();
    expect(world.adminService.accounts()).toEqual([]);
    await world.person(77);
    expect(await users.balanceOf(77)).toBe(50_00);
  });

  test.each([0, -1, 0.5, Number.NaN, 2 ** 53])("%d kopecks are not a valid amount", async (kopecks) => {
    world = openTestCore();
    await world.person(5);
    const credit = { ...CORRECTION, userId: 5, kopecks: kopecks as Kopecks };
    await expect(world.core.accounts.users.credit(credit)).rejects.toThrow(RangeError);
    expect(world.adminService.entries(1)).toEqual([]);
  });
});
