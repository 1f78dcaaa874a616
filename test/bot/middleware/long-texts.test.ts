import { expect, test } from "vitest";
import type { BotContext } from "../../../src/bot/context.js";
import { joinLongTexts } from "../../../src/bot/middleware.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";

/** Returns what a text of the person is joined to, with the id of its message. */
function openJoin() {
  const join = joinLongTexts();
  let messageId = 0;
  return async (text: string) => {
    messageId += 1;
    const message = { message_id: messageId, date: messageId, text, chat: { id: 7, type: "private" } };
    const ctx = { message, msg: message, chat: message.chat, person: { id: 7 } } as unknown as BotContext;
    await join(ctx, async () => {});
    return { messageId, longText: ctx.longText };
  };
}

test("a text without end is kept as far as any model takes it, and goes on until a short message", async () => {
  const say = openJoin();
  const part = "x".repeat(4000);
  await say(part);
  for (let count = 2; count <= 200; count += 1) {
    const { messageId, longText } = await say(part);
    expect(longText).toMatchObject({ messageId });
    expect(longText?.before.at(-1)).toBe(messageId - 1);
    expect(longText?.before.length).toBeLessThan(20);
    expect(longText?.text.length).toBe(Math.min(count, 11) * 4001 - 1);
  }
  expect((await say("the end")).longText?.text).toHaveLength(11 * 4001 - 1);
  expect((await say("a fox")).longText).toBeUndefined();
});

test("a text without end is refused once, and leaves nothing on the card", async () => {
  const bot = openBotHarness();
  for (let date = 1; date <= 20; date += 1) await bot.say("a fox ".repeat(600), ANN, { date });
  const refused = t("prompt-too-long", { name: t("parameter-prompt"), max: 10_000 });
  expect(bot.said().filter((words) => words === refused)).toHaveLength(1);
  expect(bot.card().text).toBeNull();
});
