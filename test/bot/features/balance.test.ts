import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";

const { t, money } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Max" };

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

test("an admin sees another person's balance", async () => {
  const { say, said } = openBotHarness();
  await say("/start");
  await say(`/credit ${ANN.id} 250`, ADMIN);
  await say(`/balance ${ANN.id}`, ADMIN);
  expect(said().at(-1)).toContain(money(250_00));
});

test("nobody but an admin sees another person's balance", async () => {
  const { say, said } = openBotHarness();
  await say(`/balance ${ADMIN_ID}`);
  expect(said()[0]).toContain(t("balance-own-only"));
  expect(said()[0]).not.toContain(money(250_00));
});

test("an admin's balance query counts only in a message that the admin wrote", async () => {
  const { say, said } = openBotHarness();
  const forwarded = { forward_origin: { type: "hidden_user", sender_user_name: "Eve", date: 1 } } as const;
  await say(`/balance ${ANN.id}`, ADMIN, forwarded);
  expect(said()).toEqual([t("admin-own-words")]);
});
