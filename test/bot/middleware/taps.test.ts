import { expect, test } from "vitest";
import { openBotHarness } from "../../support/bot-harness.js";
import { buttonPrefixes } from "../../support/button-prefixes.js";
import { t } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

test.each([
  ["managed", undefined],
  ["shared", sharedAccount()],
  ["connected", connectedAccounts()],
])("with %s accounts a tap with data that no button has is answered as unknown", async (_kind, accounts) => {
  const { tap, answered, said } = openBotHarness(accounts && { accounts });
  const prefixes = buttonPrefixes();
  for (const prefix of prefixes) await tap(`${prefix}:?:forged:::::`);
  expect(answered()).toEqual(prefixes.map(() => t("tap-unknown")));
  expect(said()).toEqual([]);
});
