import { describe, expect, test } from "vitest";
import type { Draft } from "../../../../src/bot/card/draft-store.js";
import { judge, takeEdit, takeMessage } from "../../../../src/bot/card/form/apply-message.js";
import { asWay, composedAgain, toModel, toWay } from "../../../../src/bot/card/form/change-model.js";
import { evaluateForm } from "../../../../src/bot/card/form/evaluate-form.js";
import { fieldsOf, mainTextOf, type Way, waysOf } from "../../../../src/bot/card/form/fields.js";
import { styleField } from "../../../../src/bot/orders/delivery/result-keyboard.js";
import type { Order } from "../../../../src/bot/orders/order.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { catalogue, quote } from "../../../support/core.js";
import { buttonsOf, cardOf, draftOn, modelNamed, modelsOf } from "../../../support/drafts.js";

const SONG = "Ночной поезд идёт вдоль реки\n\nи никто не знает,\nкак меня зовут";
const suno = modelNamed("music:suno-v5");
const fields = fieldsOf(suno);
const [about, words] = waysOf(fields) as [Way, Way];

function said(draft: Draft, text: string): Draft {
  const verdict = judge(draft, { messageId: 5, text }, suno);
  if ("refusal" in verdict) throw new Error(verdict.refusal.kind);
  return { ...draft, ...verdict };
}

function labels(draft: Draft): string[] {
  return buttonsOf(cardOf(draft, modelsOf("music"), "ru")).map(({ text }) => text);
}

function request(draft: Draft) {
  return evaluateForm(suno, draft).request;
}

describe("three lines or more", () => {
  test("are taken for the words of a song, which can be paid at once, with vocals", () => {
    const silent = { ...draftOn(suno).parameters, make_instrumental: true };
    const taken = said(draftOn(suno, { parameters: silent }), SONG);
    expect(request(taken)).toMatchObject({ mode: "lyrics", lyrics: SONG, make_instrumental: false });
    expect(evaluateForm(suno, taken).payable).toBe(2500);
    expect(quote(request(taken)).totalKopecks).toBe(2500);
    expect(cardOf(taken, modelsOf("music"), "ru").text).toContain("В сообщении несколько строк");
    expect(labels(taken)).toEqual([
      "↩️ Это описание",
      "Стиль: любой",
      "🎤 Вокал: есть",
      "⚙️ Ещё",
      "🎨 Модель",
      "✖️ Отмена",
      "✅ Создать · 25\u00a0₽",
    ]);
  });

  test("become the description again with one tap, and the next ones stay it", () => {
    const taken = said(said(draftOn(suno), "a slow song about a train"), SONG);
    const back = { ...taken, ...asWay(taken, fields, about) };
    expect(request(back)).toMatchObject({ mode: "description", description: SONG });
    expect(back.parameters).not.toHaveProperty("lyrics");
    expect(back.promptMessageId, "whose edit changes it").toBe(5);
    expect(labels(back)).toContain("📝 Мои слова");
    expect(request(said(back, `${SONG}\nla`))).toMatchObject({ mode: "description" });
  });

  test("stay a description that was asked for, and so do two lines", () => {
    const asked = { ...draftOn(suno), ...toWay(draftOn(suno), fields, about) };
    expect(request(said(asked, SONG)).mode).toBe("description");
    expect(request(said(draftOn(suno), "a slow song\nabout a night train")).mode).toBe("description");
  });

  test("are words as well when they came before the model", () => {
    const draft = { ...draftOn(suno, { promptMessageId: 5 }), modelKey: null, parameters: { prompt: SONG } };
    const change = toModel(draft, undefined, suno, {});
    expect(request({ ...draft, ...change })).toMatchObject({ mode: "lyrics", lyrics: SONG });
  });
});

describe("words of one's own", () => {
  const chosen = () => {
    const silent = draftOn(suno, { parameters: { ...draftOn(suno).parameters, make_instrumental: true } });
    return { ...silent, ...toWay(silent, fields, words) };
  };

  test("are asked for with one tap, which switches the vocals on", () => {
    const draft = chosen();
    expect(draft.view).toEqual({ kind: "text" });
    expect(draft.parameters).toMatchObject({ mode: "lyrics", make_instrumental: false });
    expect(labels({ ...draft, view: { kind: "card" } }).slice(0, 2)).toEqual([
      "✍️ О чём песня",
      "📝 Мои слова",
    ]);
  });

  test("need no style: the core takes a neutral one, which is never shown nor kept", () => {
    const draft = said(chosen(), "la la la la, a line to be sung");
    const sent = request(draft);
    expect(sent.custom_style).toBe("a style that suits the lyrics");
    expect(quote(sent).request).toMatchObject({ mode: "lyrics", lyrics: "la la la la, a line to be sung" });
    expect(cardOf(draft, modelsOf("music")).text).not.toContain("suits the lyrics");
    const again = { ...draft, parameters: composedAgain(sent, suno, undefined) };
    expect(again.parameters).not.toHaveProperty("custom_style");
    expect(request(again)).toEqual(sent);
    expect(styleField(fields, sent as Order["request"])).toBe("style_preset_id");
    const styled = { ...draft, parameters: { ...draft.parameters, style_preset_id: "jazz" } };
    expect(request(styled)).not.toHaveProperty("custom_style");
  });

  test("demand a style where the model takes no free one", () => {
    const strict = { ...suno, parameters: { ...suno.parameters, custom_style: null } };
    const draft = { ...said(chosen(), "la la la la, a line to be sung"), view: { kind: "card" } as const };
    expect(evaluateForm(strict, draft).payable).toBeUndefined();
    expect(cardOf(draft, [strict], "ru").text).toContain("☝️");
  });
});

describe("the main text", () => {
  test("stays under its own name when the mode changes, and is the main one again when it changes back", () => {
    const described = draftOn(suno, { text: "a slow song", promptMessageId: 5 });
    const asked = { ...described, ...toWay(described, fields, words) };
    expect(asked).toMatchObject({ parameters: { description: "a slow song" }, promptMessageId: null });
    expect(mainTextOf(asked.parameters, fields)).toBeUndefined();
    expect(evaluateForm(suno, asked).request).not.toHaveProperty("description");
    const sung = said(asked, SONG);
    expect(sung.parameters).toMatchObject({ description: "a slow song", lyrics: SONG });
    expect(evaluateForm(suno, sung).request).toMatchObject({ mode: "lyrics", lyrics: SONG });
    const back = { ...sung, ...toWay(sung, fields, about) };
    expect(mainTextOf(back.parameters, fields)).toBe("a slow song");
    expect(back.parameters.lyrics).toBe(SONG);
  });

  test("is held under `prompt` until a model is chosen, which then names it", async () => {
    const { drafts } = openBotWorld();
    const { draft } = await drafts.open({ ...NEW_DRAFT, type: "music", modelKey: null, parameters: {} });
    const given = { messageId: 5, text: "a slow song about a train" };
    await takeMessage(drafts, draft.id, given, catalogue.models);
    expect(drafts.find(draft.id)?.parameters).toEqual({ prompt: given.text });
    const text = "a fast song about a train";
    await takeEdit(drafts, draft.id, { messageId: 5, text }, catalogue.models);
    const edited = drafts.find(draft.id) ?? draft;
    expect(edited.parameters).toEqual({ prompt: text });
    const { parameters } = toModel(edited, undefined, suno, {});
    expect(parameters).toMatchObject({ description: text });
    expect(parameters).not.toHaveProperty("prompt");
  });
});
