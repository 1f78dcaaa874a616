import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { withText } from "../../support/drafts.js";

test("a text without a card opens an image card with that prompt", async () => {
  const { say, drafts } = openBotHarness();
  await say("a fox");
  expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({ type: "image", text: "a fox" });
});

test("editing the prompt message changes the prompt", async () => {
  const { say, edit, drafts } = openBotHarness();
  await say("a fox");
  await edit(drafts.composing(ANN.id, ANN.id)?.promptMessageId ?? 0, "a wolf");
  expect(withText(drafts.composing(ANN.id, ANN.id))?.text).toBe("a wolf");
});

test("a text that the client split into two messages is one prompt, and both parts stay editable", async () => {
  const { say, edit, drafts } = openBotHarness();
  const begin = `a red fox${" in the snow".repeat(200)}`;
  await say(begin);
  const first = drafts.composing(ANN.id, ANN.id)?.promptMessageId ?? 0;
  await say("the end");
  expect(withText(drafts.composing(ANN.id, ANN.id))?.text).toBe(`${begin}\nthe end`);
  const changed = `a grey wolf${" in the snow".repeat(200)}`;
  await edit(first, changed);
  expect(withText(drafts.composing(ANN.id, ANN.id))?.text).toBe(`${changed}\nthe end`);
});

test.each([
  ["@atelier_bot a fox", "a fox"],
  ["@Atelier_Bot, a fox", "a fox"],
  ["a fox @atelier_bot", "a fox"],
  ["@atelier_bot: a fox @atelier_bot", "a fox"],
  ["/image @atelier_bot a fox", "a fox"],
  ["a fox with @atelier_bot on its coat", "a fox with @atelier_bot on its coat"],
  ["@atelier_bot_2 a fox", "@atelier_bot_2 a fox"],
])("in a private chat the bot's own name is no part of a description: %s", async (said, described) => {
  const { say, drafts } = openBotHarness();
  await say(said);
  expect(withText(drafts.composing(ANN.id, ANN.id))?.text).toBe(described);
});
