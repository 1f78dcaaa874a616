import { expect, test } from "vitest";
import type { PromoOutcome } from "../../../src/accounts/promo-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { managedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const { t, money } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID };
const GROUP = { id: -100, type: "supergroup", title: "Studio" } as const;
const CREDITED = {
  kind: "credited",
  kopecks: asKopecks(100_00),
  debtPaidKopecks: asKopecks(0),
  balanceKopecks: asKopecks(150_00),
} as const;

function open(outcome: PromoOutcome = CREDITED) {
  const tried: [number, string][] = [];
  const codes = [
    { code: "SUMMER", kopecks: asKopecks(100_00), uses: 3, usesMax: 50, validUntil: Date.UTC(2026, 11, 31) },
  ];
  const promo = {
    redeem: async ({ id }: { id: number }, code: string) => {
      tried.push([id, code]);
      return outcome;
    },
    list: () => codes,
  };
  return { ...openBotHarness({ accounts: managedAccounts({ promo }) }), tried };
}

test("a code that is typed or comes from a link is credited, and a link greets too", async () => {
  const { say, said, tried } = open();
  await say("/promo summer");
  await say("/start p_summer");
  expect(tried).toEqual([
    [ANN.id, "summer"],
    [ANN.id, "summer"],
  ]);
  const credited = t("promo-credited", { sum: money(100_00), balance: money(150_00) });
  expect(said().slice(0, 2)).toEqual([credited, credited]);
  expect(said().at(-1)).toContain("Ann");
});

test.each([
  [{ kind: "used", kopecks: asKopecks(100_00) }, "You’ve used this code already"],
  [{ kind: "wrong" }, "There’s no such code"],
  [{ kind: "slow", until: Date.UTC(2026, 0, 1, 12) }, "try again after Jan 1, 2026, 12:00"],
] as const)("a code that is not credited says what to do next: %j", async (outcome, words) => {
  const { say, said } = open(outcome);
  await say("/promo summer");
  expect(said()[0]).toContain(words);
});

test("codes are listed for admins alone, and none is taken in a group", async () => {
  const { say, said, tried } = open();
  await say("/promo");
  expect(said()).toEqual([t("usage-promo")]);
  await say("/promo", ADMIN);
  expect(said()[1]).toContain(`SUMMER · ${money(100_00)} · 3 of 50 used`);
  await say("/promo summer", ANN, { chat: GROUP as never });
  expect(said()[2]).toBe(t("promo-private-only"));
  expect(tried).toEqual([]);
});

test("where accounts are elsewhere there is no such command", async () => {
  const { say, said } = openBotHarness({ accounts: sharedAccount() });
  await say("/promo summer");
  expect(said()[0]).not.toContain("code");
});
