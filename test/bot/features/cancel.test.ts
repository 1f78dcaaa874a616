import { expect, test } from "vitest";
import { ADMIN_ID, ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");

test("/cancel ends an admin's question and leaves the card alone", async () => {
  const { say, said, drafts } = openBotHarness();
  const admin = { ...ANN, id: ADMIN_ID };
  await say("/image a fox", admin);
  await say("/broadcast", admin);
  await say("/cancel", admin);
  expect(said().at(-1)).toBe(t("question-left"));
  expect(drafts.composing(ADMIN_ID, ADMIN_ID)).toBeDefined();
  await say("/cancel", admin);
  expect(said().at(-1)).toBe(t("cancelled"));
});
