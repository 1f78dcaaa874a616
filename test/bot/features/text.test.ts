import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";

test("a text without a card opens an image card with that prompt", async () => {
  const { say, drafts } = openBotHarness();
  await say("a fox");
  expect(drafts.composing(ANN.id, ANN.id)).toMatchObject({ type: "image", prompt: "a fox" });
});

test("editing the prompt message changes the prompt", async () => {
  const { say, edit, drafts } = openBotHarness();
  await say("a fox");
  await edit(drafts.composing(ANN.id, ANN.id)?.promptMessageId ?? 0, "a wolf");
  expect(drafts.composing(ANN.id, ANN.id)?.prompt).toBe("a wolf");
});

test("a text that the client split into two messages is one prompt, and both parts stay editable", async () => {
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
