import { expect, test } from "vitest";
import { ANN, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";

test("/help explains the bot and whom to ask", async () => {
  const { say, said } = openBotHarness();
  await say("/help");
  expect(said()[0]).toContain(t("help-text"));
  expect(said()[0]).toContain(t("help-contact", { contact: "@help" }));
});

test.each(["/support", "/paysupport"])(
  "%s names whom to write to where accounts are elsewhere",
  async (command) => {
    const { say, said } = openBotHarness({ accounts: sharedAccount(), supportContact: "@olga" });
    await say(command);
    expect(said()).toEqual([t("support-contact", { contact: "@olga" })]);
  },
);

test.each([
  ["an admin", MAX, {}, true],
  ["an admin in a group", MAX, IN_GROUP, false],
  ["anybody else", ANN, {}, false],
])("the admin commands are listed in private for admins only (%s)", async (_who, from, more, isShown) => {
  const { say, said } = openBotHarness();
  await say("/help", from, more);
  expect(String(said()[0]).includes(t("help-admins"))).toBe(isShown);
});

test.each<[string, Parameters<typeof openBotHarness>[0], boolean]>([
  ["here", {}, true],
  ["here, but not for failed jobs", { settings: { refundFailedJobs: false } }, false],
  ["by another service", { accounts: sharedAccount() }, false],
])("a refund is promised only where this service makes it (%s)", async (_where, change, isPromised) => {
  const { say, said } = openBotHarness(change);
  await say("/help");
  expect(String(said()[0]).includes(t("help-refund"))).toBe(isPromised);
});

test.each([true, false])(
  "nobody is invited to send photos that cannot be handed on (links only: %s)",
  async (isLinksOnly) => {
    const { say, said } = openBotHarness({ accounts: sharedAccount({ isLinksOnly }) });
    await say("/help");
    await say("/start");
    await say("/help", ANN, IN_GROUP);
    const texts = said().map(String);
    const invites = texts.filter((text) => /a photo|send photos/i.test(text));
    expect(invites.length > 0).toBe(!isLinksOnly);
    expect(texts.some((text) => text.includes("https links to pictures"))).toBe(isLinksOnly);
  },
);
