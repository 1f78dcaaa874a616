import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness, recordingAdmin } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t, money } = texts.in("en");
const ADMIN = { ...ANN, id: ADMIN_ID, first_name: "Max" };

test("/balance shows the person's own balance and whom to ask for more", async () => {
  const { say, said } = openBotHarness();
  await say("/balance");
  const now = t("balance-now", { balance: money(500_00) });
  expect(said()).toEqual([`${now}\n${t("money-ask", { contact: "@help" })}`]);
});

test("an admin sees another person's balance", async () => {
  const { say, said } = openBotHarness({ admin: recordingAdmin() });
  await say("/start");
  await say(`/balance ${ANN.id}`, ADMIN);
  expect(said()[1]).toContain(money(250_00));
});

test("nobody but an admin sees another person's balance", async () => {
  const { say, said } = openBotHarness({ admin: recordingAdmin() });
  await say(`/balance ${ADMIN_ID}`);
  expect(said()[0]).toContain(t("balance-own-only"));
  expect(said()[0]).not.toContain(money(250_00));
});

test("an admin's balance query counts only in a message that the admin wrote", async () => {
  const { say, said } = openBotHarness({ admin: recordingAdmin() });
  const forwarded = { forward_origin: { type: "hidden_user", sender_user_name: "Eve", date: 1 } } as const;
  await say(`/balance ${ANN.id}`, ADMIN, forwarded);
  expect(said()).toEqual([t("admin-own-words")]);
});
