import { expect, test } from "vitest";
import { whoAmI } from "../../../src/bot/start-bot.js";
import { refusal } from "../../support/bot-world.js";
import { FakeTelegram } from "../../support/fake-telegram.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

test("the start waits exactly as long as a 429 asks for", async () => {
  const clock = createManualClock();
  const telegram = new FakeTelegram();
  telegram.failNext("getMe", refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
  const known = whoAmI(telegram.api, clock, recordingLogger().logger, new AbortController().signal);
  await clock.advance(16_999);
  expect(telegram.calls).toHaveLength(1);
  await clock.advance(1);
  expect(await known).toMatchObject({ id: 1 });
});
