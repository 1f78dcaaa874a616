import { describe, expect, test } from "vitest";
import { Drafts, TooManyDraftsError } from "../../../src/bot/card/draft-store.js";
import { NEW_DRAFT, openBotWorld } from "../../support/bot-world.js";

async function openDraft() {
  const world = openBotWorld();
  const { draft } = await world.drafts.open({ ...NEW_DRAFT, parameters: { resolution: "1K" } });
  return { ...world, draft };
}

describe("drafts", () => {
  test("of a time that the clock was set back from keep nobody from another one", async () => {
    const { database, clock } = openBotWorld();
    const drafts = new Drafts(database, clock, 1);
    await drafts.open(NEW_DRAFT);
    await drafts.open(NEW_DRAFT);
    clock.step(-3 * 3_600_000);
    await drafts.open(NEW_DRAFT);
    await expect(drafts.open(NEW_DRAFT)).rejects.toThrow(TooManyDraftsError);
  });

  test("a change sees the message id that was stored while the change waited for its commit", async () => {
    const { drafts, draft } = await openDraft();
    const [, changed] = await Promise.all([
      drafts.setMessage(draft, 41),
      drafts.change(draft, { view: { kind: "models", page: 0 } }),
    ]);
    expect(changed?.messageId).toBe(41);
    expect(drafts.find(draft.id)).toMatchObject({ messageId: 41, revision: 2 });
  });

  test("a message that shows an outdated state, or a second message, is not stored", async () => {
    const { drafts, draft } = await openDraft();
    const shownBy = [41, 42].map((id) => drafts.setMessage(draft, id));
    expect(await Promise.all(shownBy)).toEqual([true, false]);
    const shown = { ...draft, messageId: 41 };
    const [, isShown] = await Promise.all([
      drafts.change(shown, { state: "ordered" }),
      drafts.setMessage(shown, 43),
    ]);
    expect(isShown).toBe(false);
    expect(drafts.find(draft.id)).toMatchObject({ messageId: 41, state: "ordered" });
  });

  test("a new draft replaces the previous one of its chat", async () => {
    const { drafts, draft } = await openDraft();
    const elsewhere = await drafts.open({ ...draft, chatId: -100 });
    expect(elsewhere.replaced).toBeUndefined();
    const next = await drafts.open({ ...draft, parameters: { prompt: "next" } });
    expect(next.replaced?.id).toBe(draft.id);
    expect(drafts.find(draft.id)).toMatchObject({ state: "replaced", revision: 2 });
    expect(drafts.composing(7, 7)).toEqual(next.draft);
    expect(drafts.composing(7, -100)).toEqual(elsewhere.draft);
    expect(drafts.composing(8, -100)).toBeUndefined();
  });

  test("the last used settings are known for each model, the most recent model first", async () => {
    const { clock, database, drafts, draft } = await openDraft();
    for (const [modelKey, resolution] of [
      ["old", "1K"],
      ["other", "1K"],
      ["old", "4K"],
    ] as const) {
      await clock.advance(1);
      await database.write("test", (tx) =>
        drafts.rememberIn(tx, { ...draft, modelKey, parameters: { resolution } }),
      );
    }
    expect(["old", "other", "new"].map((key) => drafts.lastParameters(7, key))).toEqual([
      { resolution: "4K" },
      { resolution: "1K" },
      {},
    ]);
    expect([drafts.lastModels(7), drafts.lastModels(8)]).toEqual([["old", "other"], []]);
  });

  test("the last used settings hold no text of the person", async () => {
    const { database, drafts, draft } = await openDraft();
    const words = { prompt: "a fox", lyrics: "la la", description: "a song" };
    await database.write("test", (tx) =>
      drafts.rememberIn(tx, { ...draft, modelKey: "any", parameters: { ...words, count: 2 } }),
    );
    expect(drafts.lastParameters(7, "any")).toEqual({ count: 2 });
  });
});
