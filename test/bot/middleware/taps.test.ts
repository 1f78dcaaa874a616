import { describe, expect, test } from "vitest";
import { createFeatures } from "../../../src/bot/features.js";
import { openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const UNKNOWN = texts.in("en").t("tap-unknown");

describe.each([
  ["managed", undefined],
  ["shared", sharedAccount()],
  ["connected", connectedAccounts()],
])("with %s accounts", (_kind, accounts) => {
  const { parts } = openBotHarness(accounts && { accounts });
  const prefixes = createFeatures(parts).flatMap(({ callbackPrefixes = [] }) => callbackPrefixes);

  test.each(prefixes)("a tap on %s: with data that no button has is answered as unknown", async (prefix) => {
    const { tap, answered, said } = openBotHarness(accounts && { accounts });
    await tap(`${prefix}:?:forged:::::`);
    expect([answered(), said()]).toEqual([[UNKNOWN], []]);
  });
});
