import { HttpError } from "grammy";
import { expect, test } from "vitest";
import { OutageLog } from "../../../src/bot/telegram/files.js";
import { recordingLogger } from "../../support/log.js";
import { createManualClock } from "../../support/manual-clock.js";

test("an hour without Telegram is a line at once, one every ten minutes with the tries, and one at the end", async () => {
  const clock = createManualClock();
  const { logger, lines } = recordingLogger();
  const outage = new OutageLog(clock, logger);
  outage.answered();
  for (let second = 0; second < 3600; second += 15) {
    outage.failed(new HttpError("no answer", new Error("no connection")));
    await clock.advance(15_000);
  }
  outage.answered();
  outage.answered();
  expect(lines.map(({ msg, tries, seconds }) => [msg, tries, seconds])).toEqual([
    ["Telegram does not answer, trying again", undefined, undefined],
    ...[1, 2, 3, 4, 5].map((ten) => ["Telegram still does not answer", ten * 40 + 1, ten * 600]),
    ["Telegram answers again", 240, 3600],
  ]);
  expect(JSON.stringify(lines)).not.toContain("stack");
  outage.failed(new Error("again"));
  expect(lines).toHaveLength(8);
});
