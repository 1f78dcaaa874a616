import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { ParameterValue } from "../../contract/model.js";
import { versionOf } from "../../contract/version-title.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { Draft } from "./draft/draft.js";
import type { FormState } from "./form/evaluate-form.js";
import { choicesOf, type FormField, type NumberField } from "./form/fields.js";
import { heldPictures, isHere, picturesIn } from "./form/picture-fields.js";
import { valuePrices } from "./form/value-prices.js";
import { button, type CardMessage, type CardSurroundings, inRows, titleOf } from "./layout.js";
import { parameterQuestion, settingName, valueName } from "./parameter-names.js";
import { shortLink } from "./short-link.js";

const CHOICES_IN_A_ROW = 4;
const TEXT_SHOWN = 700;

export function renderParameter(
  draft: Draft,
  form: FormState,
  field: FormField,
  { language, isGroup }: CardSurroundings,
): CardMessage {
  const { t } = language;
  // Includes pictures that the model does not take.
  const value = field.kind === "pictures" ? draft.parameters[field.name] : form.values[field.name];
  const choices = choiceButtons(draft, form, field, language);
  const rows = inRows([...choices, ...removeButtons(draft, field, value)], CHOICES_IN_A_ROW);
  const clear = button(draft, t(clearLabel(field)), { kind: "clear", token: field.token });
  if (value !== undefined && canBeCleared(field)) rows.push([clear]);
  const isRare = form.pages.rare.some(({ name }) => name === field.name);
  rows.push([button(draft, t("button-back"), { kind: isRare ? "more" : "card" })]);

  const head = `${titleOf(form.model, form.values)}\n${parameterQuestion(field.name, language)}`;
  const parts = [`${head}${currentOf(field, value, language)}`, ...howToAnswer(field, language, isGroup)];
  const pictures = field.kind === "pictures" ? 0 : heldPictures(draft.parameters);
  if (pictures > 0 && wordsFor(field, language)) parts.push(t("pictures-given", { count: pictures }));
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(rows) };
}

/** Tells how to answer and how to cancel a question. Empty for a parameter with buttons only. */
export function howToAnswer(field: FormField, language: Language, isGroup: boolean): string[] {
  const { t } = language;
  const asked = wordsFor(field, language);
  if (asked === undefined) return [];
  return [[asked, ...(isGroup ? [t("page-by-reply")] : []), t("page-back")].join(" ")];
}

/** Tells what to send for a parameter. Undefined when it has buttons only. */
export function wordsFor(field: FormField, language: Language): string | undefined {
  const { t } = language;
  switch (field.kind) {
    case "text":
      return field.max === undefined ? t("page-text") : t("page-text-max", { max: field.max });
    case "number":
      return numberWords(field, language);
    case "pictures":
      return field.isList ? t("page-pictures", { max: field.max }) : t("page-picture");
    default:
      return undefined;
  }
}

export function numberWords(field: NumberField, language: Language): string {
  const { isInteger, isDuration, min, max } = field;
  const { t } = language;
  const kind = isDuration ? "length" : isInteger ? "whole" : "any";
  if (min === undefined || max === undefined) return t(`page-number-${kind}`);
  const [least, most] = [min, max].map((bound) => valueName({ ...field, choices: [] }, bound, language));
  return t(`page-number-${kind}-between`, { min: least ?? "", max: most ?? "" });
}

function choiceButtons(
  draft: Draft,
  form: FormState,
  field: FormField,
  language: Language,
): InlineKeyboardButton[] {
  const { name, token } = field;
  const prices = valuePrices(form, field);
  const current = field.kind === "toggle" ? form.values[name] === true : form.values[name];
  return choicesOf(field).map((choice, index) => {
    const mark = choice === current ? "• " : "";
    const price = prices?.get(choice);
    const version = versionOf(form.model, name, choice);
    const value = `${mark}${valueName(field, choice, language)}`;
    const label = version === undefined ? value : `${value} (${version})`;
    const priced = price === undefined ? label : `${label} · ${language.money(price)}`;
    return button(draft, priced, { kind: "value", token, index });
  });
}

function removeButtons(
  draft: Draft,
  field: FormField,
  value: ParameterValue | undefined,
): InlineKeyboardButton[] {
  if (field.kind !== "pictures" || !field.isList) return [];
  const { name, token } = field;
  return picturesIn({ [name]: value ?? [] }, name).map((_picture, index) =>
    button(draft, `🗑 ${index + 1}`, { kind: "remove", token, index }),
  );
}

function canBeCleared(field: FormField): boolean {
  return field.kind === "choice" ? field.canBeUnset : field.kind === "text" || field.kind === "pictures";
}

function clearLabel(field: FormField): string {
  if (field.kind === "pictures") return field.isList ? "button-remove-all" : "button-remove";
  return "button-clear";
}

function currentOf(field: FormField, value: ParameterValue | undefined, language: Language): string {
  if (value === undefined) return "";
  if (field.kind === "text") {
    return `\n<blockquote>${escapeHtml(settingName(field, value, language, TEXT_SHOWN))}</blockquote>`;
  }
  if (field.kind !== "pictures") return "";
  const pictures = picturesIn({ [field.name]: value }, field.name);
  const names = pictures.map((picture, index) => {
    const words = isHere(picture)
      ? language.t("picture-of-chat", { number: index + 1 })
      : `${index + 1}. ${shortLink(picture)}`;
    const shown = escapeHtml(words);
    return index < field.max ? shown : `<s>${shown}</s>`;
  });
  return `\n${names.join(pictures.every(isHere) ? ", " : "\n")}`;
}
