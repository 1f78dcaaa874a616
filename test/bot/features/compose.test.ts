import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";

test.each(["image", "video", "music"] as const)(
  "/%s opens a card of its type with the words behind it",
  async (type) => {
    const { say, drafts } = openBotHarness();
    await say(`/${type} a fox`);
    const draft = drafts.composing(ANN.id, ANN.id);
    expect(draft).toMatchObject({ type, prompt: "a fox", view: { kind: "models", page: 0 } });
  },
);
