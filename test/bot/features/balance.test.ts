import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const { t, money } = texts.in("en");

test.each([
  ["", undefined, "balance-now", true],
  [" of all", sharedAccount(), "balance-now-shared", true],
  ["; admins elsewhere have no use for the id", connectedAccounts(), "balance-now", false],
])("/balance shows the balance%s, and whom to ask for more", async (_which, accounts, key, hasId) => {
  const { say, said } = openBotHarness(accounts && { accounts });
  await say("/balance");
  const now = t(key, { balance: money(500_00) });
  const id = hasId ? [t("id-person", { id: String(ANN.id) })] : [];
  expect(said()).toEqual([[now, ...id, t("money-ask", { contact: "@help" })].join("\n")]);
});
