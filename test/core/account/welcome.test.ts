import { describe, expect, test } from "vitest";
import { looksReal, WELCOMES_A_DAY_MAX } from "../../../src/accounts/welcome-credit.js";
import { latestBirthOf } from "../../../src/build-service.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";

const DAY_MS = 86_400_000;
const YOUNG_ID = 9_999_999_999;
const GUARDED = { welcomeCreditKopecks: asKopecks(50_00), welcomeGuard: { latestBirthOf } };
const NEVER = new AbortController().signal;

let world: TestCore;

function open(settings: Parameters<typeof openTestCore>[0] = {}) {
  world = openTestCore({
    ...settings,
    settings: { ...GUARDED, ...settings.settings },
  });
  return world.core.accounts;
}

async function balanceOf(userId: number, name = "Ann"): Promise<number | undefined> {
  const { users } = world.core.accounts;
  await users.idOf({ id: userId, name });
  return users.balanceOf(userId);
}

test.each([
  [77, "Ann", true],
  [77, "Аня 🌸", true],
  [77, "🌸", false],
  [77, " ", false],
  [8_235_679_900, "Ann", true],
  [8_235_679_901, "Ann", false],
  [YOUNG_ID, "Ann", false],
])("a person with the id %d and the name «%s» looks real: %s", (id, name, isReal) => {
  expect(looksReal({ id, name }, { latestBirthOf }, Date.UTC(2025, 9, 25))).toBe(isReal);
});

test("an id is young for 30 days after the day by which it was given out", () => {
  const ann = { id: 8_235_679_900, name: "Ann" };
  expect(looksReal(ann, { latestBirthOf }, Date.UTC(2025, 9, 25) - 1)).toBe(false);
});

describe("a guarded welcome credit", () => {
  test("waits for a tap of those who do not look real, and is taken once, however often they tap", async () => {
    const { users } = open();
    expect(await balanceOf(YOUNG_ID)).toBe(0);
    expect(users.offeredWelcome(YOUNG_ID)).toBe(50_00);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => users.takeWelcome(YOUNG_ID)));
    expect(outcomes.filter(Boolean)).toEqual([{ kopecks: 50_00, balanceKopecks: 50_00 }]);
    expect(users.offeredWelcome(YOUNG_ID)).toBeUndefined();
    expect(world.adminService.entries(1)).toMatchObject([
      { reason: "welcome", idempotency_key: "welcome:1" },
    ]);
  });

  test("is given at once to no more than a number of people a day; a tap is not counted", async () => {
    const { users } = open();
    const ids = Array.from({ length: WELCOMES_A_DAY_MAX + 1 }, (_, index) => index + 1);
    const balances = await Promise.all(ids.map((id) => balanceOf(id)));
    expect(balances.filter((balance) => balance === 50_00)).toHaveLength(WELCOMES_A_DAY_MAX);
    expect(await users.takeWelcome(WELCOMES_A_DAY_MAX + 1)).toBeDefined();
    await world.clock.advance(DAY_MS);
    expect(await balanceOf(1000)).toBe(50_00);
    expect(world.adminService.verifyLedger()).toMatchObject({ mismatches: 0 });
  });

  test("never comes twice, also after the person was forgotten", async () => {
    const { users, personalData } = open();
    for (const id of [77, YOUNG_ID]) {
      await balanceOf(id);
      await users.takeWelcome(id);
      await personalData.askToErase(id, "test");
      await personalData.erase(id, NEVER);
      await personalData.finishErasure(id);
      expect(await balanceOf(id)).toBe(50_00);
      expect(await users.takeWelcome(id)).toBeUndefined();
    }
  });

  test("is not there for a banned person", async () => {
    const { users } = open();
    await balanceOf(YOUNG_ID);
    await users.ban({ userId: YOUNG_ID, reason: null, until: null, actor: "test" });
    expect(users.offeredWelcome(YOUNG_ID)).toBeUndefined();
    expect(await users.takeWelcome(YOUNG_ID)).toBeUndefined();
  });

  test("waits still after a crash before its commit, and is then taken once", async () => {
    const { users } = open({ failPoint: failOnce("commit:before", "account:welcome") });
    await balanceOf(YOUNG_ID);
    await expect(users.takeWelcome(YOUNG_ID)).rejects.toThrow("SQLITE_IOERR");
    expect(await users.takeWelcome(YOUNG_ID)).toMatchObject({ balanceKopecks: 50_00 });
  });

  test("of another sum or of none later is what was offered", async () => {
    open();
    await balanceOf(YOUNG_ID);
    await world.close();
    const { users } = open({
      directory: world.directory,
      settings: { welcomeCreditKopecks: asKopecks(0) },
    });
    expect(await users.takeWelcome(YOUNG_ID)).toMatchObject({ kopecks: 50_00 });
  });

  test("is told in the person's data while it waits", async () => {
    const { personalData } = open();
    await balanceOf(YOUNG_ID);
    const [account] = personalData.sections(YOUNG_ID);
    expect([...(account?.rows ?? [])]).toMatchObject([{ balance_rub: 0, welcome_credit_waiting_rub: 50 }]);
  });
});
