import { describe, expect, test } from "vitest";
import { openBotHarness } from "../../support/bot-harness.js";
import { buttonPrefixes } from "../../support/button-prefixes.js";
import { texts } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const UNKNOWN = texts.in("en").t("tap-unknown");

describe.each([
  ["managed", undefined],
  ["shared", sharedAccount()],
  ["connected", connectedAccounts()],
])("with %s accounts", (_kind, accounts) => {
  test.each(buttonPrefixes())(
    "a tap on %s: with data that no button has is answered as unknown",
    async (prefix) => {
      const { tap, answered, said } = openBotHarness(accounts && { accounts });
      await tap(`${prefix}:?:forged:::::`);
      expect([answered(), said()]).toEqual([[UNKNOWN], []]);
    },
  );
});
