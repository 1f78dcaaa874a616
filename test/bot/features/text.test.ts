import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";

test("words without a card open an image card with them", async () => {
  const { say, drafts } = openBotHarness();
  await say("a fox");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({ type: "image", prompt: "a fox" });
});

test("an edit of the message that brought the prompt changes the prompt", async () => {
  const { say, edit, drafts } = openBotHarness();
  await say("a fox");
  await edit(drafts.composing(ANN.id, ANN.id)?.promptMessageId ?? 0, "a wolf");
  expect(drafts.composing(ANN.id, ANN.id)?.prompt).toBe("a wolf");
});

test("a text that its client cut into two messages is one prompt, and each part stays editable", async () => {
  const { say, edit, drafts } = openBotHarness();
  const begin = "b".repeat(2100);
  await say(begin);
  const first = drafts.composing(ANN.id, ANN.id)?.promptMessageId ?? 0;
  await say("the end");
  expect(drafts.composing(ANN.id, ANN.id)?.prompt).toBe(`${begin}\nthe end`);
  const changed = "c".repeat(2100);
  await edit(first, changed);
  expect(drafts.composing(ANN.id, ANN.id)?.prompt).toBe(`${changed}\nthe end`);
});
