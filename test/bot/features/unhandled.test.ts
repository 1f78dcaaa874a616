import { expect, test } from "vitest";
import { openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const { t } = texts.in("en");

test("an unknown command, message or button gets an answer", async () => {
  const { say, send, tap, said, answered } = openBotHarness();
  await say("/nonsense");
  await send({ dice: { emoji: "🎲", value: 1 } });
  await tap("z:1");
  const words = { atBot: "" };
  expect(said()).toEqual([t("unknown-command", words), t("unknown-message", words)]);
  expect(answered()).toEqual([t("tap-unknown", words)]);
});

test("Telegram's service messages get no answer", async () => {
  const { send, calls } = openBotHarness();
  await send({ message_auto_delete_timer_changed: { message_auto_delete_time: 60 } });
  expect(calls).toEqual([]);
});
