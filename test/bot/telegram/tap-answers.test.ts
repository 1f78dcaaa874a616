import type { Context } from "grammy";
import { expect, test } from "vitest";
import { alertTap, answerTap, type TapFlavor } from "../../../src/bot/telegram/tap-answers.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { FakeTelegram } from "../../support/fake-telegram.js";

/** A tap, and the words that were sent as its answer. */
function openTap() {
  const telegram = new FakeTelegram();
  const ctx = {
    callbackQuery: { id: "1" },
    tap: { isAnswered: false, isRepeated: false, conclude() {} },
    api: telegram.api,
  } as unknown as Context & TapFlavor;
  return { ctx, telegram, words: () => telegram.payloadsOf("answerCallbackQuery").map(({ text }) => text) };
}

test.each([
  ["answer", answerTap],
  ["alert", alertTap],
] as const)(
  "the %s of a callback answer is cut to Telegram's limit, never inside an emoji",
  async (_kind, say) => {
    const { ctx, words } = openTap();
    // A cut at 200 units would end in half of the last one.
    await say(ctx, `a${"😀".repeat(150)}`);
    expect(words()).toEqual([`a${"😀".repeat(99)}…`]);
  },
);

test.each([refusal(400, "Bad Request: query is too old"), brokenConnection()])(
  "an answer that does not arrive (%s) stops nothing",
  async (fault) => {
    const { ctx, telegram } = openTap();
    telegram.failNext("answerCallbackQuery", fault);
    await answerTap(ctx, "hello");
  },
);
