import { describe, expect, test } from "vitest";
import { refusalText } from "../../../../src/bot/card/card-words.js";
import type { View } from "../../../../src/bot/card/draft-store.js";
import { type Asked, askedOn, takeEdit, takeMessage } from "../../../../src/bot/card/form/apply-message.js";
import { settingChange, toCard, toWay } from "../../../../src/bot/card/form/change-model.js";
import { fieldNamed, fieldsOf, type NumberField, waysOf } from "../../../../src/bot/card/form/fields.js";
import { chatPicture, heldBack } from "../../../../src/bot/card/form/picture-fields.js";
import { parseLinks, parseNumber } from "../../../../src/bot/card/form/typed-value.js";
import { NEW_DRAFT, openBotWorld } from "../../../support/bot-world.js";
import { catalogue } from "../../../support/core.js";
import { draftOn, modelNamed, texts } from "../../../support/drafts.js";

/** A card of a model, and what it takes. */
async function openDraft(key: string, view: View = { kind: "card" }) {
  const { drafts } = openBotWorld();
  const { type, modelKey, parameters } = draftOn(modelNamed(key));
  const { draft } = await drafts.open({ ...NEW_DRAFT, type, modelKey, parameters, view });
  const take = (
    messageId: number,
    given: { text: string; asked?: Asked | undefined } | { pictures: string[] },
  ) => takeMessage(drafts, draft.id, { messageId, ...given }, catalogue.models);
  const held = () => drafts.find(draft.id) ?? draft;
  return { drafts, draft, take, held };
}

describe("a message that is handled again after a crash", () => {
  test("does not replace the main text after it was used as a title", async () => {
    const { draft, take } = await openDraft("music:suno-v5", { kind: "parameter", name: "title" });
    const text = "A quiet sea";
    const given = { text, asked: askedOn(draft, modelNamed("music:suno-v5")) };
    const first = await take(10, given);
    expect(first).not.toHaveProperty("draft.parameters.description");
    expect(first).toMatchObject({ kind: "taken", draft: { parameters: { title: text } } });
    expect(await take(10, given)).toEqual(first);
    expect(await take(11, { text })).toMatchObject({ draft: { parameters: { description: text } } });
  });
});

test("pictures leave the page of a song's words open, whose way back is to the description", async () => {
  const { drafts, held, take } = await openDraft("music:suno-v5");
  const fields = fieldsOf(modelNamed("music:suno-v5"));
  const description = "a song about the sea";
  await drafts.change(held(), { parameters: { ...held().parameters, description } });
  const [, lyrics] = waysOf(fields);
  if (!lyrics) throw new Error("no lyrics");
  await drafts.change(held(), toWay(held(), fields, lyrics));
  await take(10, { pictures: [chatPicture("A")] });
  await take(11, { pictures: [chatPicture("B")] });
  expect(held().view).toEqual({ kind: "text" });
  expect(toCard(held(), fields)).toMatchObject({ parameters: { mode: "description", description } });
  await take(12, { pictures: [chatPicture("C")], text: "the sea is wide and I am small" });
  expect(held()).toMatchObject({ view: { kind: "card" }, parameters: { mode: "lyrics", description } });
});

test("a photo sets the aspect ratio to auto unless one was chosen on the card, and takes it along when it goes", async () => {
  const { drafts, take, held } = await openDraft("nano-banana-2");
  const model = modelNamed("nano-banana-2");
  const fields = fieldsOf(model);
  const [format, photos] = ["aspect_ratio", "reference_urls"].map((name) => fieldNamed(fields, name));
  if (format?.kind !== "choice" || !photos) throw new Error("no fields");
  await take(10, { pictures: [chatPicture("A")] });
  expect(held().parameters.aspect_ratio).toBe("auto");
  for (const action of [{ action: "remove", index: 0 }, { action: "clear" }] as const) {
    const left = (chosen: string[]) =>
      settingChange({ ...held(), chosen }, { model, fields }, photos, action)?.parameters?.aspect_ratio;
    expect([left([]), left(["aspect_ratio"])], action.action).toEqual(["1:1", "auto"]);
  }
  const square = { action: "value", index: format.choices.indexOf("1:1") } as const;
  await drafts.change(held(), settingChange(held(), { model, fields }, format, square) ?? {});
  await take(11, { pictures: [chatPicture("B")] });
  expect(held().parameters.aspect_ratio).toBe("1:1");
});

test("the same picture is added once, concurrent taps are not lost, and a list is cleared whole", async () => {
  const { drafts, draft, take, held } = await openDraft("nano-banana-2");
  const [one, two] = [chatPicture("A"), chatPicture("B")];
  await Promise.all([
    drafts.change(draft, { parameters: { ...draft.parameters, resolution: "2K" } }),
    take(10, { pictures: [one, two, one] }),
  ]);
  expect(held().parameters).toMatchObject({ resolution: "2K", reference_urls: [one, two] });
  const model = modelNamed("nano-banana-2");
  const form = { model, fields: fieldsOf(model) };
  const photos = fieldNamed(form.fields, "reference_urls");
  const cleared = photos && settingChange(held(), form, photos, { action: "clear" });
  expect(cleared?.parameters).toMatchObject({ resolution: "2K" });
  expect(cleared?.parameters).not.toHaveProperty("reference_urls");
});

test("a card that is ordered takes no message and no edit", async () => {
  const { drafts, draft, take } = await openDraft("nano-banana-2");
  await drafts.change(draft, { state: "ordered" });
  expect(await take(1, { text: "a" })).toEqual({ kind: "gone" });
  const edit = { messageId: 1, text: "an owl" };
  expect(await takeEdit(drafts, draft.id, edit, catalogue.models)).toEqual({ kind: "gone" });
});

function valueIn(text: string, field: NumberField): number | undefined {
  const read = parseNumber(text, field);
  return "kind" in read ? undefined : read.value;
}

describe("a typed number", () => {
  const fieldOf = (key: string, name: string) => fieldNamed(fieldsOf(modelNamed(key)), name) as NumberField;
  const weight = fieldOf("music:suno-v5", "style_weight");
  const seconds = fieldOf("music:elevenlabs", "duration_sec");

  test.each([
    ["0,5", 0.5],
    [" 1 ", 1],
    ["+0,25", 0.25],
    ["0.333", 0.33],
    ["-0.1", undefined],
    ["1.01", undefined],
    ["", undefined],
    ["half", undefined],
    ["0,5,1", undefined],
    ["1e0", undefined],
    ["٠٫٥", undefined],
    ["Infinity", undefined],
  ])("%j is a weight of %s", (text, value) => {
    expect(valueIn(text, weight)).toBe(value);
  });

  test.each([
    ["10", 10],
    ["360", 360],
    ["2:30", 150],
    ["0:45", 45],
    ["2 мин", 120],
    ["1,5 мин", 90],
    ["2 минуты 30 секунд", 150],
    ["2m 30s", 150],
    ["90 с", 90],
    // Too few seconds are minutes.
    ["2", 120],
    ["1.5", 90],
    ["9", undefined],
    ["361", undefined],
    ["20,5", undefined],
    ["20.0", 20],
    ["2:75", undefined],
    ["мин", undefined],
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
])("a text with links %j contains %s", (text, expected) => {
  const found = parseLinks(text);
  expect(found?.kind === "links" ? found.links.length : found?.kind).toBe(expected);
});

test("several pictures at once are kept beyond the model's limit for a model that takes more, up to a maximum", async () => {
  const { take, held } = await openDraft("nano-banana-2-lite");
  const pictures = Array.from({ length: 25 }, (_, n) => chatPicture(`${n}`));
  await take(10, { pictures });
  expect(held().parameters.reference_urls).toEqual(pictures.slice(0, 20));
  const more = await take(11, { pictures: [chatPicture("one more")] });
  expect(more).toMatchObject({ kind: "refused", refusal: { kind: "full", max: 20 } });
  const undecided = heldBack(heldBack({}, pictures.slice(0, 2)), [...pictures, ...pictures]);
  expect(undecided, "until a model is chosen").toEqual({ reference_urls: pictures.slice(0, 20) });
});
