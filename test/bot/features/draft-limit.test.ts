import { expect, test } from "vitest";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const words = texts.in("en").t("too-many-drafts", { max: 2 });

test("a card too many within a minute is refused once in words, then in silence, and the open one stays", async () => {
  const { say, said, clock, parts } = openBotHarness({ draftsPerMinuteMax: 2 });
  for (let count = 1; count <= 3; count += 1) await say(`/image fox ${count}`);
  const open = parts.drafts.composing(ANN.id, ANN.id);
  await say("/image a wolf");
  expect(said().filter((text) => text === words)).toHaveLength(1);
  await say("/video a wolf");
  await say("/music about the sea");
  expect(said().filter((text) => text === words)).toHaveLength(1);
  expect(parts.drafts.composing(ANN.id, ANN.id)).toEqual(open);
  await clock.advance(61_000);
  await say("/image a wolf");
  expect(parts.drafts.composing(ANN.id, ANN.id)?.id).not.toBe(open?.id);
});

test("the cards of others, and those that were paid, do not count", async () => {
  const { say, database, parts } = openBotHarness({ draftsPerMinuteMax: 2 });
  for (let count = 1; count <= 5; count += 1) {
    await say("/image a fox", { ...ANN, id: 70 + count });
    await say("/image a fox");
    const draft = parts.drafts.composing(ANN.id, ANN.id);
    if (draft)
      await database.write("paid", (tx) => void parts.drafts.changeIn(tx, draft, { state: "ordered" }));
  }
  await say("/image a wolf");
  expect(parts.drafts.composing(ANN.id, ANN.id)?.parameters).toMatchObject({ prompt: "a wolf" });
});
