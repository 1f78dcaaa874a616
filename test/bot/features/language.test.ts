import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

test("the chosen language applies to everything after it", async () => {
  const { say, tap, buttons, said } = openBotHarness();
  await say("/language");
  await tap(buttons().get("Русский") ?? "");
  expect(said().at(-1)).toBe(texts.in("ru").t("language-chosen"));
  await say("/cancel");
  expect(said().at(-1)).toBe(texts.in("ru").t("nothing-to-cancel", { atBot: "" }));
});

test("a person cannot choose the language of another", async () => {
  const { say, tap, buttons, answered, parts } = openBotHarness();
  await say("/language");
  await tap(buttons().get("Русский") ?? "", 1, { ...ANN, id: 8 });
  expect(answered()).toEqual([texts.in("en").t("tap-not-yours", { atBot: "" })]);
  expect(parts.people.find(8)?.locale).toBe("en");
});
