import { describe, expect, test } from "vitest";
import type { User } from "../../../src/accounts/account-store.js";
import { entriesOf } from "../../../src/accounts/ledger-store.js";
import { createPromoCode, promoCodes, redeemPromo } from "../../../src/accounts/promo-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore } from "../../support/core.js";
import { silentLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

const HOUR_MS = 3_600_000;
const user = (id: number) => ({ id, name: `person ${id}` });

async function openWith(usesMax = 50, change: Partial<Parameters<typeof openTestCore>[0] & object> = {}) {
  const world = openTestCore({ clock: createManualClock(), ...change });
  const terms = { kopecks: asKopecks(100_00), usesMax, validUntil: world.clock.now() + 24 * HOUR_MS };
  await createPromoCode(world, { code: "Summer", ...terms });
  const { users } = world.core.accounts;
  const ground = { ...world, logger: silentLogger() };
  const promo = {
    redeem: async (person: User, text: string) => redeemPromo(ground, await users.idOf(person), text),
    list: () => promoCodes(world.database),
  };
  return { ...world, terms, promo };
}

describe("a promo code", () => {
  test("is credited once a person, in any case, and the ledger says why", async () => {
    const { promo, database } = await openWith();
    expect(await promo.redeem(user(1), " sUmMeR ")).toEqual({
      kind: "credited",
      kopecks: 100_00,
      debtPaidKopecks: 0,
      balanceKopecks: 100_00,
    });
    expect(await promo.redeem(user(1), "SUMMER")).toEqual({ kind: "used", kopecks: 100_00 });
    expect(entriesOf(database, 1).map(({ amount, reason }) => [amount, reason])).toEqual([[100_00, "promo"]]);
    expect(promo.list()).toMatchObject([{ code: "SUMMER", uses: 1, uses_max: 50 }]);
  });

  test("brings a banned person nothing, and tells them nothing of itself", async () => {
    const { promo, core, database } = await openWith();
    await core.accounts.users.idOf(user(1));
    const until = null;
    await core.accounts.users.ban({ userId: 1, reason: null, until, actor: "test" });
    expect(await promo.redeem(user(1), "SUMMER")).toEqual({ kind: "banned" });
    expect(await promo.redeem(user(1), "GUESS")).toEqual({ kind: "banned" });
    expect(entriesOf(database, 1)).toEqual([]);
    expect(promo.list()).toMatchObject([{ uses: 0 }]);
  });

  test("has no more uses than it was made with, however many come at once", async () => {
    const { promo, adminService } = await openWith(3);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => promo.redeem(user(index + 1), "SUMMER")),
    );
    expect(outcomes.filter(({ kind }) => kind === "credited")).toHaveLength(3);
    expect(outcomes.filter(({ kind }) => kind === "wrong")).toHaveLength(7);
    expect(promo.list()).toMatchObject([{ uses: 3 }]);
    expect(adminService.verifyLedger()).toMatchObject({ mismatches: 0 });
  });

  test("is over after its last moment", async () => {
    const { promo, clock } = await openWith();
    await clock.advance(24 * HOUR_MS);
    expect(await promo.redeem(user(1), "SUMMER")).toEqual({ kind: "wrong" });
  });

  test("is found by none of 500 tries: after five wrong ones none is looked at, even the right one", async () => {
    const { promo, clock } = await openWith();
    const kinds: string[] = [];
    for (let index = 0; index < 500; index += 1)
      kinds.push((await promo.redeem(user(1), index === 250 ? "SUMMER" : `GUESS${index}`)).kind);
    expect(kinds.filter((kind) => kind === "wrong")).toHaveLength(5);
    expect(kinds.filter((kind) => kind === "slow")).toHaveLength(495);
    const slow = await promo.redeem(user(1), "SUMMER");
    expect(slow).toEqual({ kind: "slow", until: clock.now() + HOUR_MS });
    expect(await promo.redeem(user(2), "SUMMER")).toMatchObject({ kind: "credited" });
    await clock.advance(HOUR_MS);
    expect(await promo.redeem(user(1), "SUMMER")).toMatchObject({ kind: "credited" });
  });

  test("is not kept from a person by wrong tries of a time that the clock was set back from", async () => {
    const { promo, clock } = await openWith();
    for (let index = 0; index < 5; index += 1) await promo.redeem(user(1), `GUESS${index}`);
    clock.step(-3 * HOUR_MS);
    expect(await promo.redeem(user(1), "SUMMER")).toMatchObject({ kind: "credited" });
  });

  test("is made once, with an act in the audit", async () => {
    const { terms, core, ...world } = await openWith();
    const again = createPromoCode(world, { code: "SUMMER", ...terms });
    await expect(again).rejects.toThrow("there is a code SUMMER already");
    expect(core.accounts.audit.list({ limit: 1 })).toMatchObject([
      { actor: "ctl", act: "promo", subject: "promo:SUMMER", after: { kopecks: 100_00, uses: 50 } },
    ]);
  });
});
