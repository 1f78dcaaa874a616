import { describe, expect, test } from "vitest";
import { limitExceededText, ownAllowanceText, spentText } from "../../../../src/bot/people/spending.js";
import { asKopecks } from "../../../../src/contract/price.js";
import { texts } from "../../../support/drafts.js";

const ALLOWANCE = {
  limitKopecks: asKopecks(500_00),
  spentKopecks: asKopecks(495_50),
  renewsAt: Date.UTC(2026, 11, 1),
};
const [en, ru] = [texts.in("en"), texts.in("ru")];

describe("what a person reads of a monthly limit", () => {
  test("names no sums in a group", () => {
    const text = limitExceededText(ALLOWANCE, asKopecks(10_00), { language: en, isGroup: true });
    expect(text).not.toContain("₽");
    expect(text).toContain("December\u00a01 (UTC)");
  });

  test("is nothing without a limit, and never less than nothing left", () => {
    expect(ownAllowanceText({ ...ALLOWANCE, limitKopecks: undefined }, en)).toBeUndefined();
    expect(ownAllowanceText({ ...ALLOWANCE, spentKopecks: asKopecks(600_00) }, en)).toContain(
      "0\u00a0₽ of 500\u00a0₽ is left",
    );
    expect(spentText({ ...ALLOWANCE, spentKopecks: asKopecks(600_00) }, en)).toContain(
      "Spent this month: 600\u00a0₽. Left: 0\u00a0₽.",
    );
  });

  test.each([en, ru])("fits an alert of 200 characters in $code", (language) => {
    const most = {
      limitKopecks: asKopecks(9_999_999_99),
      spentKopecks: asKopecks(1_50),
      renewsAt: Date.UTC(2026, 8, 1),
    };
    const text = limitExceededText(most, asKopecks(9_999_999_99), { language, isGroup: false });
    expect(text.length).toBeLessThanOrEqual(200);
  });
});
