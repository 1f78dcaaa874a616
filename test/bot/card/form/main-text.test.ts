import { describe, expect, test } from "vitest";
import type { Draft } from "../../../../src/bot/card/draft-store.js";
import { takeEdit, takeMessage } from "../../../../src/bot/card/form/apply-message.js";
import { asWay, toModel, toWay, withNewText } from "../../../../src/bot/card/form/change-model.js";
import { evaluateForm } from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf, mainTextOf, waysOf } from "../../../../src/bot/card/form/fields.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { catalogue } from "../../../support/core.js";
import { draftOn, modelNamed, modelsOf } from "../../../support/drafts.js";

const suno = modelNamed("music:suno-v5");
const fields = fieldsOf(suno);
const [about, words] = waysOf(fields);
const SONG = "la la la\nla la la la\nla la la la la";

const changed = (draft: Draft, change: object): Draft => ({ ...draft, ...change });

describe("the main text", () => {
  test("stays under its own name when the mode changes, and is the main one again when it changes back", () => {
    if (!about || !words) throw new Error("no ways");
    const described = draftOn(suno, { text: "a slow song", promptMessageId: 5 });
    const asked = changed(described, toWay(described, fields, words));
    expect(asked).toMatchObject({ parameters: { description: "a slow song" }, promptMessageId: null });
    expect(mainTextOf(asked.parameters, fields)).toBeUndefined();
    expect(evaluateForm(suno, asked).request).not.toHaveProperty("description");
    const sung = changed(asked, withNewText(asked, fields, SONG));
    expect(sung.parameters).toMatchObject({ description: "a slow song", lyrics: SONG });
    expect(evaluateForm(suno, sung).request).toMatchObject({ mode: "lyrics", lyrics: SONG });
    const back = changed(sung, toWay(sung, fields, about));
    expect(mainTextOf(back.parameters, fields)).toBe("a slow song");
    expect(back.parameters.lyrics).toBe(SONG);
  });

  test.each(modelsOf("image"))("stays where it is when $title takes the place of a model", (model) => {
    for (const other of modelsOf("image")) {
      const draft = draftOn(model, { text: "a fox", promptMessageId: 5 });
      const change = toModel(draft, model, other, {});
      expect(change.parameters?.prompt).toBe("a fox");
      expect(change).not.toHaveProperty("promptMessageId");
    }
  });

  test("is taken for that of another way by one tap, with the message whose edit changes it", () => {
    if (!words) throw new Error("no way");
    const described = draftOn(suno, { text: SONG, promptMessageId: 5 });
    const taken = changed(described, asWay(described, fields, words));
    expect(taken).toMatchObject({ parameters: { mode: "lyrics", lyrics: SONG }, promptMessageId: 5 });
    expect(taken.parameters).not.toHaveProperty("description");
  });

  test("is held under `prompt` until a model is chosen, which then names it", async () => {
    const { drafts } = openBotWorld();
    const { draft } = await drafts.open({ ...NEW_DRAFT, type: "music", modelKey: null, parameters: {} });
    const given = { messageId: 5, text: "a slow song about a train" };
    const taken = await takeMessage(drafts, draft.id, given, catalogue.models);
    if (taken.kind !== "taken") throw new Error(taken.kind);
    expect(taken.draft.parameters).toEqual({ prompt: given.text });
    const edited = await takeEdit(
      drafts,
      draft.id,
      { messageId: 5, text: "a fast song about a train" },
      catalogue.models,
    );
    if (edited.kind !== "taken") throw new Error(edited.kind);
    expect(edited.draft.parameters).toEqual({ prompt: "a fast song about a train" });
    const { parameters } = toModel(edited.draft, undefined, suno, {});
    expect(parameters).toMatchObject({ description: "a fast song about a train" });
    expect(parameters).not.toHaveProperty("prompt");
  });
});
