import { expect, test } from "vitest";
import { openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t, money } = texts.in("en");

test("/start greets a person by name, and tells the balance", async () => {
  const { say, said } = openBotHarness();
  await say("/start");
  expect(said()).toHaveLength(1);
  expect(said()[0]).toContain(t("start-hello", { name: "Ann" }));
  expect(said()[0]).toContain(t("start-balance", { balance: money(500_00) }));
});

test("a name is shown as it is written, never read as HTML", async () => {
  const { say, said } = openBotHarness();
  await say("/start", { id: 8, is_bot: false, first_name: "<b>Bob", language_code: "en" });
  expect(said()[0]).toContain("&lt;b&gt;Bob");
});
