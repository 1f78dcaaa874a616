import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

test("a person cannot choose the language of another", async () => {
  const { say, tap, buttons, answered, parts } = openBotHarness();
  await say("/language");
  await tap(buttons().get("Русский") ?? "", 1, { ...ANN, id: 8 });
  expect(answered()).toEqual([texts.in("en").t("tap-not-yours", { atBot: "" })]);
  expect(parts.people.find(8)?.locale).toBe("en");
});
