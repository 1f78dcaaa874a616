import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness, recordingAdmin } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");

test("/help explains the bot and whom to ask", async () => {
  const { say, said } = openBotHarness();
  await say("/help");
  expect(said()[0]).toContain(t("help-text"));
  expect(said()[0]).toContain(t("help-contact", { contact: "@help" }));
});

test.each([
  ["an admin", ADMIN_ID, true],
  ["nobody else", ANN.id, false],
])("the admin commands are listed for %s", async (_who, id, isShown) => {
  const { say, said } = openBotHarness({ admin: recordingAdmin() });
  await say("/help", { ...ANN, id });
  expect(String(said()[0]).includes(t("help-admins"))).toBe(isShown);
});
