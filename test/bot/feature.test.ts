import { expect, test } from "vitest";
import { createFeatures } from "../../src/bot/features.js";
import { openBotHarness } from "../support/bot-harness.js";
import { texts } from "../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../support/fake-accounts.js";

test.each([
  ["managed", undefined],
  ["connected", connectedAccounts()],
  ["shared", sharedAccount()],
])("no command and no prefix of buttons is of two features, with %s accounts", (_kind, accounts) => {
  const features = createFeatures(openBotHarness(accounts && { accounts }).parts);
  const named = features.flatMap(({ commands = [], adminCommands = [], keyCommands = [] }) => [
    ...commands,
    ...adminCommands,
    ...keyCommands,
  ]);
  const prefixes = features.flatMap(({ callbackPrefixes = [] }) => callbackPrefixes);
  for (const names of [named, prefixes]) expect(names).toEqual([...new Set(names)]);
});

test("every command of the menu is described in each language", () => {
  const features = createFeatures(openBotHarness().parts);
  const commands = features.flatMap((one) => [
    ...(one.commands ?? []),
    ...(one.adminCommands ?? []),
    ...(one.keyCommands ?? []),
  ]);
  expect(commands).toContain("help");
  for (const { t } of texts.languages)
    for (const command of commands) expect(() => t(`command-${command}`)).not.toThrow();
});
