import { describe, expect, test, vi } from "vitest";
import { PictureRefusedError } from "../../src/bot/card/pictures.js";
import { Unavailable } from "../../src/contract/errors.js";
import { ANN, IN_GROUP, openBotHarness } from "../support/bot-harness.js";
import { refusal } from "../support/bot-world.js";
import { t } from "../support/drafts.js";

const FAULT = t("fault-try-again");

/** A bot whose reading of drafts fails. */
function openFailingBot(error: Error) {
  const harness = openBotHarness();
  vi.spyOn(harness.parts.drafts, "composing").mockImplementation(() => {
    throw error;
  });
  vi.spyOn(harness.parts.orders, "find").mockImplementation(() => {
    throw error;
  });
  return harness;
}

test("after a failed message the person is asked to try again", async () => {
  const { say, said } = openFailingBot(new Error("broken"));
  await say("/cancel");
  expect(said()).toEqual([FAULT]);
});

test("a service elsewhere that is away is said to be so, and is no error in the log", async () => {
  const { say, said, parts } = openFailingBot(new Unavailable("unreachable"));
  const error = vi.spyOn(parts.logger, "error");
  await say("/cancel");
  expect(said()).toEqual([t("fault-unreachable")]);
  expect(error).not.toHaveBeenCalled();
});

test("after a failed tap the person is told in the answer to the tap, and only there", async () => {
  const { tap, said, telegram } = openFailingBot(new Error("broken"));
  await tap("r:order-1:a");
  expect(telegram.payloadsOf("answerCallbackQuery")).toMatchObject([{ text: FAULT, show_alert: true }]);
  expect(said()).toEqual([]);
});

test("a person who has blocked the bot gets no error message", async () => {
  const { say, said } = openFailingBot(refusal(403, "Forbidden: bot was blocked by the user"));
  await say("/cancel");
  expect(said()).toEqual([]);
});

test("an update that a shutdown interrupts, and one that waits for it, are left to the next run, without a message", async () => {
  const { say, said, stopping, parts } = openFailingBot(new Error("cut off"));
  stopping.abort();
  await expect(say("/cancel")).rejects.toThrow("cut off");
  vi.mocked(parts.drafts.composing).mockRestore();
  await expect(say("/cancel")).rejects.toThrow("an earlier update of the chat was interrupted");
  expect(said()).toEqual([]);
});

describe("a picture that cannot be used", () => {
  test("is told of in a message, in private and in a group", async () => {
    const { say, said } = openFailingBot(new PictureRefusedError("gone"));
    await say("/cancel");
    await say("/cancel", ANN, IN_GROUP);
    expect(said()).toEqual([t("picture-gone"), t("picture-gone")]);
  });

  test("is told of in the answer to a tap alone, and in a message where the answer does not arrive", async () => {
    const { tap, said, answered, telegram } = openFailingBot(new PictureRefusedError("gone"));
    await tap("r:order-1:a");
    expect([answered(), said()]).toEqual([[t("picture-gone")], []]);
    telegram.failNext("answerCallbackQuery", refusal(400, "Bad Request: query is too old"));
    await tap("r:order-1:a");
    expect(said()).toEqual([t("picture-gone")]);
  });
});

test("a card whose edit was lost is drawn again by the next tap, and one that is up to date is no fault", async () => {
  const { say, tap, press, card, buttons, said, telegram } = openBotHarness();
  await say("a fox");
  const stale = buttons().get(t("button-more")) ?? "";
  telegram.failNext("editMessageText", refusal(502, "Bad Gateway"));
  for (const told of [FAULT, t("more-title")]) {
    await tap(stale, card().messageId ?? 0);
    expect(said().at(-1)).toContain(told);
  }
  telegram.failNext("editMessageText", refusal(400, "Bad Request: message is not modified"));
  await press(t("button-back"));
  expect(said().filter((text) => text === FAULT)).toHaveLength(1);
});
