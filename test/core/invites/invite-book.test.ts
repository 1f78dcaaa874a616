import { beforeEach, describe, expect, test } from "vitest";
import { type InviteBook, REWARDS_A_MONTH_MAX } from "../../../src/accounts/invite-book.js";
import { debtOf } from "../../../src/accounts/ledger-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openTestCore, type TestCore } from "../../support/core.js";
import { failOnce } from "../../support/fail-once.js";
import { FakeTill, paidInvoice } from "../../support/till.js";

const ANN = { id: 7, name: "Ann" };
const BORIS = { id: 8, name: "Boris" };
const REWARD = { inviter_kopecks: 30_00, invited_kopecks: 50_00 };
const INVITE_SUMS = { inviterKopecks: asKopecks(30_00), invitedKopecks: asKopecks(50_00) };
const NEVER = new AbortController().signal;

let world: TestCore;
let invites: InviteBook;
let code: string;

async function open(options: Parameters<typeof openTestCore>[0] = {}) {
  world = openTestCore({ ...options, settings: { inviteSums: INVITE_SUMS } });
  const { accounts } = world.core;
  if (!accounts.invites) throw new Error("there are invitations");
  invites = accounts.invites;
  code = await invites.codeOf(ANN);
}
beforeEach(() => open());

const comeBy = (user: { id: number; name: string }) => invites.bind(user, code, world.clock.now());
const till = new FakeTill();
const refund = (paymentId: number, mayOwe = false) =>
  world.core.accounts.payments.refund({ paymentId, actor: "a", reason: null, mayOwe }, till);
const debts = () => [1, 2].map((accountId) => debtOf(world.database, accountId));
const balance = (userId: number) => world.core.accounts.users.balanceOf(userId);
let charges = 0;
async function topUp(userId: number, rubles: number) {
  charges += 1;
  const sum = { userId, price: rubles, kopecks: asKopecks(rubles * 100) };
  await paidInvoice(world.core.accounts.payments, sum, `c${charges}`);
}

const balances = async () => [await balance(ANN.id), await balance(BORIS.id)];

describe("the reward of an invitation", () => {
  beforeEach(async () => {
    await comeBy(BORIS);
    await topUp(BORIS.id, 50);
  });
  const reportOf = (id: number) => {
    const { charge_id, price, till: name, paid_at } = world.core.accounts.payments.byId(id) ?? ({} as never);
    return { till: name, chargeId: charge_id, price, paidAt: paid_at, invoiceRef: "", userId: BORIS.id };
  };

  test("leaves both people with the payment that earned it, and they are told", async () => {
    for (const invite of invites.untold(10)) await invites.markTold(invite);
    expect(invites.untold(10)).toEqual([]);
    expect(await refund(1)).toMatchObject({ kind: "refunded" });
    expect([await balances(), debts()]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(invites.countsOf(ANN.id)).toEqual({ invited: 1, rewarded: 0 });
    expect(invites.untold(10)).toMatchObject([{ taken_back_at: world.clock.now() }]);
    expect(world.adminService.verifyLedger().mismatches).toBe(0);
  });

  test("that is spent becomes a debt, which any credit pays first", async () => {
    await world.spend(ANN.id, 30_00);
    await world.spend(BORIS.id, 80_00);
    expect(world.core.accounts.payments.sharesOf(1)).toEqual([
      { of: "payment", accountId: 2, kopecks: 50_00, owedKopecks: 30_00 },
      { of: "reward", accountId: 1, kopecks: 30_00, owedKopecks: 30_00 },
      { of: "reward", accountId: 2, kopecks: 50_00, owedKopecks: 50_00 },
    ]);
    expect(await refund(1)).toMatchObject({ kind: "too_large" });
    expect(await world.core.accounts.payments.takeRefund(reportOf(1))).toMatchObject({ kind: "refunded" });
    expect([await balances(), debts()]).toEqual([
      [0, 0],
      [30_00, 80_00],
    ]);
    await world.person(ANN.id, 100_00);
    expect([await balance(ANN.id), debts()[0]]).toEqual([70_00, 0]);
    expect(world.adminService.entries(1).map(({ amount, reason }) => [amount, reason])).toEqual(
      expect.arrayContaining([
        [100_00, null],
        [-30_00, "debt of a refund"],
      ]),
    );
    expect(world.adminService.verifyLedger().mismatches).toBe(0);
  });

  test("comes back with a refund that the till refuses, as often as that happens", async () => {
    await world.spend(BORIS.id, 80_00);
    for (let time = 0; time < 3; time += 1) {
      till.answers.push({ kind: "refused", reason: "no_funds" });
      expect(await refund(1, true)).toMatchObject({ kind: "refused" });
      expect([await balances(), debts()]).toEqual([
        [30_00, 20_00],
        [0, 0],
      ]);
    }
    expect(world.adminService.verifyLedger().mismatches).toBe(0);
  });

  test("belongs to one payment: a refund of another takes it from nobody, and one that is refused gives it to nobody", async () => {
    await topUp(BORIS.id, 20);
    await refund(2);
    expect(await balances()).toEqual([30_00, 100_00]);
    await topUp(BORIS.id, 20);
    await refund(1);
    till.answers.push({ kind: "refused", reason: "too_old" });
    expect(await refund(3)).toMatchObject({ kind: "refused" });
    expect(await balances()).toEqual([0, 20_00]);
  });

  test("is told as it is now: what was taken back while people were told is told next", async () => {
    const [earned] = invites.untold(10);
    await refund(1);
    if (earned) await invites.markTold(earned);
    expect(invites.untold(10)).toMatchObject([{ taken_back_at: world.clock.now() }]);
  });

  test("stays with a later payment when the refund of the first is refused", async () => {
    till.answers.push({ kind: "doubtful", cause: "cut" }, { kind: "refused", reason: "too_old" });
    expect(await refund(1)).toMatchObject({ kind: "pending" });
    await topUp(BORIS.id, 50);
    expect(await balances()).toEqual([30_00, 100_00]);
    await world.core.accounts.payments.settleRefunds(till);
    expect(await balances()).toEqual([30_00, 150_00]);
  });

  test("stays while the rest of a payment that is returned in part would earn it", async () => {
    await topUp(BORIS.id, 50);
    await refund(1);
    await topUp(BORIS.id, 80);
    const { payments } = world.core.accounts;
    const part = (returned: number) => payments.takeRefund({ ...reportOf(3), returned });
    expect(await part(30)).toMatchObject({ kind: "part", owedKopecks: 0 });
    expect(await part(30)).toMatchObject({ kind: "repeated" });
    expect(await balances()).toEqual([30_00, 150_00]);
    expect(await part(31)).toMatchObject({ kind: "part" });
    expect(await balances()).toEqual([0, 99_00]);
    // A refund of the rest that is refused gives back what it took, not the reward.
    till.answers.push({ kind: "refused", reason: "no_funds" });
    expect(await refund(3)).toMatchObject({ kind: "refused" });
    expect(await balances()).toEqual([0, 99_00]);
    expect(await refund(3)).toMatchObject({ kind: "refunded" });
    expect(await balances()).toEqual([0, 50_00]);
    expect(world.adminService.verifyLedger().mismatches).toBe(0);
  });
});

describe("an invitation", () => {
  test("binds no account to a younger one: two new ones cannot invite each other", async () => {
    expect(await comeBy(BORIS)).toBe(true);
    const back = await invites.codeOf(BORIS);
    expect(await invites.bind(ANN, back, world.clock.now())).toBe(false);
  });

  test("brings both their sums with the first top-up of at least the larger one, once", async () => {
    expect(await comeBy(BORIS)).toBe(true);
    await topUp(BORIS.id, 49);
    expect([await balance(ANN.id), await balance(BORIS.id)]).toEqual([0, 49_00]);
    expect(invites.untold(10)).toEqual([]);
    await topUp(BORIS.id, 50);
    expect(invites.untold(10)).toMatchObject([{ inviter_id: 1, invited_id: 2, ...REWARD }]);
    expect(await balance(BORIS.id)).toBe(149_00);
    await topUp(BORIS.id, 500);
    expect([await balance(ANN.id), await balance(BORIS.id)]).toEqual([30_00, 649_00]);
    expect(invites.countsOf(ANN.id)).toEqual({ invited: 1, rewarded: 1 });
    expect(invites.list(10)).toMatchObject([{ inviter_id: 1, invited_id: 2, ...REWARD }]);
    expect(world.adminService.entries(1)).toMatchObject([
      { reason: "invitation", actor: "service", idempotency_key: "invite:2:inviter" },
    ]);
  });

  test("binds nobody to themselves, to two people, or who was here before", async () => {
    expect(await comeBy(ANN)).toBe(false);
    expect(await comeBy(BORIS)).toBe(true);
    expect(await comeBy(BORIS)).toBe(false);
    const other = await invites.codeOf({ id: 9, name: "Eve" });
    expect(await invites.bind(BORIS, other, world.clock.now())).toBe(false);
    await world.person(10);
    await world.clock.advance(3_600_000);
    expect(await comeBy({ id: 10, name: "Old" })).toBe(false);
    expect(await invites.bind({ id: 11, name: "New" }, "no-code-of-any-1", world.clock.now())).toBe(false);
  });

  test("binds also when the update is handled again after a crash before the commit", async () => {
    await world.close();
    await open({ failPoint: failOnce("commit:before", "invite:bind") });
    const sentAt = world.clock.now();
    await expect(invites.bind(BORIS, code, sentAt)).rejects.toThrow("SQLITE_IOERR");
    await world.clock.advance(3_600_000);
    expect(await invites.bind(BORIS, code, sentAt)).toBe(true);
  });

  test("binds no account of a time that the clock was set back from", async () => {
    await world.person(10);
    world.clock.step(-3 * 3_600_000);
    expect(await comeBy({ id: 10, name: "Old" })).toBe(false);
  });

  test("binds nobody who was banned before their message is handled", async () => {
    const { users } = world.core.accounts;
    const receivedAt = world.clock.now();
    await users.idOf(BORIS);
    await users.ban({ userId: BORIS.id, reason: null, until: null, actor: "test" });
    expect(await invites.bind(BORIS, code, receivedAt)).toBe(false);
  });

  test("of a banned inviter binds nobody, and one who is banned later gets nothing", async () => {
    const { users } = world.core.accounts;
    await comeBy(BORIS);
    await users.ban({ userId: ANN.id, reason: null, until: null, actor: "test" });
    expect(await comeBy({ id: 9, name: "Eve" })).toBe(false);
    await topUp(BORIS.id, 50);
    expect([await balance(ANN.id), await balance(BORIS.id)]).toEqual([0, 100_00]);
  });

  test("brings the inviter at most a number of sums a month, and the invited person theirs always", async () => {
    for (let id = 100; id <= 100 + REWARDS_A_MONTH_MAX; id += 1) {
      await comeBy({ id, name: "New" });
      await topUp(id, 50);
      expect(await balance(id)).toBe(100_00);
    }
    expect(await balance(ANN.id)).toBe(REWARDS_A_MONTH_MAX * 30_00);
    await world.clock.advance(31 * 86_400_000);
    await comeBy(BORIS);
    await topUp(BORIS.id, 50);
    expect(await balance(ANN.id)).toBe((REWARDS_A_MONTH_MAX + 1) * 30_00);
  });

  test("that was taken back is earned again by the last invitation of the month, too", async () => {
    for (let id = 100; id < 100 + REWARDS_A_MONTH_MAX; id += 1) {
      await comeBy({ id, name: "New" });
      await topUp(id, 50);
    }
    await refund(REWARDS_A_MONTH_MAX, true);
    expect(await balance(ANN.id)).toBe((REWARDS_A_MONTH_MAX - 1) * 30_00);
    await topUp(100 + REWARDS_A_MONTH_MAX - 1, 50);
    expect(await balance(ANN.id)).toBe(REWARDS_A_MONTH_MAX * 30_00);
  });

  test("comes with a held payment that an admin credits, too", async () => {
    await comeBy(BORIS);
    const { payments } = world.core.accounts;
    const lost = { till: "stars", chargeId: "h", invoiceRef: "x", userId: BORIS.id, price: 50, paidAt: 5 };
    const { payment } = await payments.take(lost);
    const held = { paymentId: payment.id, userId: BORIS.id, kopecks: asKopecks(50_00), actor: "telegram:9" };
    await payments.creditHeld(held);
    expect([await balance(ANN.id), await balance(BORIS.id)]).toEqual([30_00, 100_00]);
  });

  test("leaves no code of a person who was forgotten, and binds nobody to it", async () => {
    const { personalData } = world.core.accounts;
    await personalData.askToErase(ANN.id, "test");
    await personalData.erase(ANN.id, NEVER);
    expect(await comeBy(BORIS)).toBe(false);
    expect(await invites.codeOf(ANN)).not.toBe(code);
  });
});
