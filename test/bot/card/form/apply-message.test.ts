import { describe, expect, test } from "vitest";
import { refusalText } from "../../../../src/bot/card/card-words.js";
import { askedOn, takeEdit, takeMessage } from "../../../../src/bot/card/form/apply-message.js";
import { settingChange } from "../../../../src/bot/card/form/change-model.js";
import { fieldsOf, type NumberField } from "../../../../src/bot/card/form/fields.js";
import { chatPicture, heldBack } from "../../../../src/bot/card/form/picture-fields.js";
import { parseLinks, parseNumber } from "../../../../src/bot/card/form/typed-value.js";
import { openBotWorld } from "../../../support/bot-world.js";
import { catalogue } from "../../../support/core.js";
import { draftOn, texts } from "../../../support/drafts.js";

function modelOf(key: string) {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
}

async function openDraft(key: string, view: { kind: "parameter"; name: string } | { kind: "card" }) {
  const world = openBotWorld();
  const {
    id: _id,
    state: _state,
    messageId: _message,
    revision: _revision,
    ...fresh
  } = draftOn(modelOf(key));
  const { draft } = await world.drafts.open({ ...fresh, view });
  return { ...world, draft };
}

describe("a message that is handled again after a crash", () => {
  test("does not replace the main text after it was used as a title", async () => {
    const { drafts, draft } = await openDraft("music:suno-v5", { kind: "parameter", name: "title" });
    const given = {
      messageId: 10,
      text: "A quiet sea",
      asked: askedOn(draft, modelOf("music:suno-v5")),
    };
    const first = await takeMessage(drafts, draft.id, given, catalogue.models);
    const second = await takeMessage(drafts, draft.id, given, catalogue.models);
    expect(first).not.toHaveProperty("draft.parameters.description");
    expect(first).toMatchObject({
      kind: "taken",
      draft: { parameters: { title: "A quiet sea" } },
    });
    expect(second).toEqual(first);
    const next = await takeMessage(
      drafts,
      draft.id,
      { messageId: 11, text: "A quiet sea" },
      catalogue.models,
    );
    expect(next).toMatchObject({ kind: "taken", draft: { parameters: { description: "A quiet sea" } } });
  });

  test("does not restore a picture that was removed meanwhile", async () => {
    const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
    const given = { messageId: 10, pictures: [chatPicture("A")] };
    const taken = await takeMessage(drafts, draft.id, given, catalogue.models);
    if (taken.kind !== "taken") throw new Error(taken.kind);
    const { reference_urls: _removed, ...rest } = taken.draft.parameters;
    await drafts.change(taken.draft, { parameters: rest });
    const again = await takeMessage(drafts, draft.id, given, catalogue.models);
    expect(again).toMatchObject({ kind: "taken" });
    expect(drafts.find(draft.id)?.parameters).not.toHaveProperty("reference_urls");
  });
});

test("a photo sets the aspect ratio to auto unless one was chosen on the card", async () => {
  const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
  const photo = (messageId: number) => ({ messageId, pictures: [chatPicture(String(messageId))] });
  await takeMessage(drafts, draft.id, photo(10), catalogue.models);
  const automatic = drafts.find(draft.id);
  expect(automatic?.parameters.aspect_ratio).toBe("auto");
  const model = modelOf("nano-banana-2");
  const fields = fieldsOf(model);
  const format = fields.all.find(({ name }) => name === "aspect_ratio");
  if (!automatic || format?.kind !== "choice") throw new Error("no format");
  const index = format.choices.indexOf("1:1");
  await drafts.change(
    automatic,
    settingChange(automatic, { model, fields }, format, { action: "value", index }) ?? {},
  );
  await takeMessage(drafts, draft.id, photo(11), catalogue.models);
  expect(drafts.find(draft.id)?.parameters.aspect_ratio).toBe("1:1");
});

test.each([{ action: "remove", index: 0 }, { action: "clear" }] as const)(
  "the format that a photo brought goes with the last photo: $action",
  async (action) => {
    const model = modelOf("nano-banana-2");
    const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
    await takeMessage(drafts, draft.id, { messageId: 10, pictures: [chatPicture("A")] }, catalogue.models);
    const fields = fieldsOf(model);
    const photos = fields.all.find(({ kind }) => kind === "pictures");
    const held = drafts.find(draft.id);
    if (!held || !photos) throw new Error("no photos");
    const change = settingChange(held, { model, fields }, photos, action);
    expect(change?.parameters?.aspect_ratio).toBe("1:1");
    const chosen = settingChange({ ...held, chosen: ["aspect_ratio"] }, { model, fields }, photos, action);
    expect(chosen?.parameters?.aspect_ratio).toBe("auto");
  },
);

test("the same picture is added once, and concurrent taps are not lost", async () => {
  const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
  const pictures = [chatPicture("A"), chatPicture("B"), chatPicture("A")];
  await Promise.all([
    drafts.change(draft, { parameters: { ...draft.parameters, resolution: "2K" } }),
    takeMessage(drafts, draft.id, { messageId: 10, pictures }, catalogue.models),
  ]);
  expect(drafts.find(draft.id)?.parameters).toMatchObject({
    resolution: "2K",
    reference_urls: [chatPicture("A"), chatPicture("B")],
  });
});

test("a closed draft rejects changes", async () => {
  const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
  await drafts.change(draft, { state: "cancelled" });
  expect(await takeMessage(drafts, draft.id, { messageId: 1, text: "a" }, catalogue.models)).toEqual({
    kind: "gone",
  });
});

function valueIn(text: string, field: NumberField): number | undefined {
  const read = parseNumber(text, field);
  return "kind" in read ? undefined : read.value;
}

describe("a typed number", () => {
  const fieldOf = (key: string, name: string) =>
    fieldsOf(modelOf(key)).all.find((field) => field.name === name) as NumberField;
  const weight = fieldOf("music:suno-v5", "style_weight");
  const seconds = fieldOf("music:elevenlabs", "duration_sec");

  test.each([
    ["0,5", 0.5],
    ["0.5", 0.5],
    [" 1 ", 1],
    ["+0,25", 0.25],
    ["0.333", 0.33],
    ["-0.1", undefined],
    ["1.01", undefined],
    ["", undefined],
    ["half", undefined],
    ["1/2", undefined],
    ["0,5,1", undefined],
    ["1e0", undefined],
    ["٠٫٥", undefined],
    ["Infinity", undefined],
  ])("%j is a weight of %s", (text, value) => {
    expect(valueIn(text, weight)).toBe(value);
  });

  test.each([
    ["10", 10],
    ["90", 90],
    ["360", 360],
    ["2:30", 150],
    ["0:45", 45],
    ["2 мин", 120],
    ["2мин", 120],
    ["1,5 мин", 90],
    ["2 минуты 30 секунд", 150],
    ["2 min", 120],
    ["2m 30s", 150],
    ["90 с", 90],
    ["90 sec", 90],
    // Too few seconds are minutes.
    ["2", 120],
    ["1.5", 90],
    ["9", undefined],
    ["361", undefined],
    ["20,5", undefined],
    ["20.0", 20],
    ["2:75", undefined],
    ["мин", undefined],
    ["долго", undefined],
  ])("%j is a length of %s", (text, value) => {
    expect(valueIn(text, seconds)).toBe(value);
  });

  test("that does not fit is refused with what was wrong, in the parameter's unit", () => {
    const words = (text: string, field: NumberField, code: string) => {
      const read = parseNumber(text, field);
      return "kind" in read ? refusalText(read, texts.in(code)).replaceAll("\u00a0", " ") : "";
    };
    expect(words("7:00", seconds, "ru")).toBe(
      "7 мин — слишком много. ⏱ Выберите или пришлите свою, например 2:30. Можно от 10 с до 6 мин.",
    );
    expect(words("7 s", seconds, "en")).toMatch(/^7 s isn’t enough\. .* from 10 s to 6 min works\.$/);
    expect(words("20,5", seconds, "ru")).toMatch(/^Нужно целое число\. /);
    expect(words("half", weight, "en")).toBe("🔢 Pick a value, or send me a number from 0 to 1.");
    expect(words("1.5", weight, "en")).toMatch(/^1\.5 is too much\. .* from 0 to 1\.$/);
  });
});

describe("a text with links", () => {
  test.each([
    ["https://a.example/x.png", 1],
    [" https://a.example/x.png\nHTTPS://b.example ", 2],
    ["a cat https://a.example/x.png", undefined],
    ["a.example/x.png", undefined],
    ["telegram:AgACAgIAAx", undefined],
    ["", undefined],
    ["http://127.0.0.1:8080/files/a.webp?expires=1790000000&serial=7&signature=a-b_c", 1],
    ["http://a.example/x.png", "insecure_link"],
    ["http://a.example/x.png?next=/files/a.webp?expires=1&serial=7&signature=a", "insecure_link"],
    ["https://a.example/x.png HTTP://b.example", "insecure_link"],
    ["ftp://a.example/x.png", "insecure_link"],
    ["https://", "malformed_link"],
    ["https://a.example:port/x.png", "malformed_link"],
    [`https://a.example/${"x".repeat(2000)}`, "malformed_link"],
  ])("%j contains %s", (text, expected) => {
    const found = parseLinks(text);
    expect(found?.kind === "links" ? found.links.length : found?.kind).toBe(expected);
  });
});

describe("several pictures at once", () => {
  test("are kept beyond the model's limit for a model that takes more, up to a maximum", async () => {
    const { drafts, draft } = await openDraft("nano-banana-2-lite", { kind: "card" });
    const pictures = Array.from({ length: 25 }, (_, n) => chatPicture(`${n}`));
    await takeMessage(drafts, draft.id, { messageId: 10, pictures }, catalogue.models);
    expect(drafts.find(draft.id)?.parameters.reference_urls).toEqual(pictures.slice(0, 20));
    const one = { messageId: 11, pictures: [chatPicture("one more")] };
    const more = await takeMessage(drafts, draft.id, one, catalogue.models);
    expect(more).toMatchObject({ kind: "refused", refusal: { kind: "full", max: 20 } });
  });

  test("are kept once each, up to a maximum, until a model is chosen", () => {
    const pictures = Array.from({ length: 30 }, (_, n) => chatPicture(`${n}`));
    const held = heldBack(heldBack({}, pictures.slice(0, 2)), [...pictures, ...pictures]);
    expect(held).toEqual({ reference_urls: pictures.slice(0, 20) });
  });
});

test("a prompt edit that follows another change reports that the draft has changed since", async () => {
  const { drafts, draft } = await openDraft("nano-banana-2", { kind: "card" });
  await drafts.change(draft, { state: "ordered" });
  expect(await takeEdit(drafts, draft.id, { messageId: 1, text: "an owl" }, catalogue.models)).toEqual({
    kind: "gone",
  });
});
