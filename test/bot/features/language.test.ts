import { expect, test } from "vitest";
import { BORIS, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

test("a person cannot choose the language of another", async () => {
  const { say, tap, buttons, answered, parts } = openBotHarness();
  await say("/language");
  await tap(buttons().get("Русский") ?? "", 1, BORIS);
  expect(answered()).toEqual([texts.in("en").t("tap-not-yours", { atBot: "" })]);
  expect(parts.people.find(BORIS.id)?.locale).toBe("en");
});
