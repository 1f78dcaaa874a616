import { Composer } from "grammy";
import { expect, test } from "vitest";
import { type Feature, refuseClashingPrefixes } from "../../src/bot/feature.js";
import { createFeatures } from "../../src/bot/features.js";
import { openBotHarness } from "../support/bot-harness.js";
import { texts } from "../support/drafts.js";

function feature(name: string, callbackPrefixes: readonly string[]): Feature {
  return { name, callbackPrefixes, composer: new Composer() };
}

test("features whose buttons share a prefix are rejected at startup", () => {
  expect(() => refuseClashingPrefixes([feature("one", ["a", "b"]), feature("two", ["b"])])).toThrow(
    'features one and two share the callback prefix "b"',
  );
  expect(() => refuseClashingPrefixes([feature("one", ["a"]), feature("two", ["b"])])).not.toThrow();
});

test("every feature has a unique name and unique commands", () => {
  const features = createFeatures(openBotHarness().parts);
  const names = features.map(({ name }) => name);
  const commands = features.flatMap(({ commands = [], adminCommands = [] }) => [
    ...commands,
    ...adminCommands,
  ]);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(commands).size).toBe(commands.length);
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
