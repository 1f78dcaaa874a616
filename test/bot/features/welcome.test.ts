import { expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, IN_GROUP, openBotHarness } from "../../support/bot-harness.js";
import { money, t } from "../../support/drafts.js";

const SUM = asKopecks(50_00);
const OFFER = t("welcome-offer", { sum: money(SUM) });

/** The bot in front of a core that finds nobody real at first sight. */
function open() {
  const welcomeGuard = { latestBirthOf: () => undefined };
  return openBotHarness({ settings: { welcomeCreditKopecks: SUM, welcomeGuard } });
}

test("a welcome credit that waits is offered after the first message, /start and /balance, and after no other nor in a group", async () => {
  const { say, said } = open();
  await say("a red fox");
  await say("a blue fox");
  expect(said().filter((text) => text === OFFER)).toHaveLength(1);
  await say("/start");
  expect(said().at(-1)).toBe(OFFER);
  await say("/balance");
  expect(said().at(-1)).toBe(OFFER);
  await say("/start", ANN, IN_GROUP);
  expect(said().filter((text) => text === OFFER)).toHaveLength(3);
});

test("the tap takes it, a second tap says where it is, and it is offered no more", async () => {
  const { say, said, tap, buttons, telegram, answered } = open();
  await say("/start");
  const data = buttons().get(t("button-welcome")) ?? "";
  await tap(data);
  const credited = t("welcome-credited", { sum: money(SUM), balance: money(SUM) });
  expect(telegram.payloadsOf("editMessageText").at(-1)?.text).toBe(credited);
  await tap(data);
  expect(answered().at(-1)).toBe(t("welcome-none"));
  await say("/balance");
  expect(said().filter((text) => text === OFFER)).toHaveLength(1);
});
