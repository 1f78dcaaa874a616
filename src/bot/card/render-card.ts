import type { Model } from "../../contract/model.js";
import { versionOf } from "../../contract/version-title.js";
import { cutText, escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { Draft, View } from "./draft/draft.js";
import { mainTextName, modeValue } from "./form/active-fields.js";
import { evaluateForm, type FormState } from "./form/evaluate-form.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  type ModelFields,
  modelToken,
  type Parameters,
} from "./form/fields.js";
import { picturesUsed } from "./form/picture-fields.js";
import { usualOf } from "./form/usual-values.js";
import { guessedFrom } from "./form/ways.js";
import { formKeyboard, moreKeyboard } from "./form-keyboard.js";
import { type CardMessage, type CardSurroundings, noteLine, quotedText, titleLine } from "./layout.js";
import { missingText } from "./missing-text.js";
import { renderModels } from "./models-page.js";
import { noticeText } from "./notice-text.js";
import { parameterName, settingLabel, textKey } from "./parameter-names.js";
import { renderParameter } from "./parameter-page.js";
import { renderReplace } from "./replace-page.js";
import { sumsOf } from "./sums.js";
import { renderTextPage } from "./text-page.js";

const TEXT_IN_LINE = 60;
const LINE_SHOWN = 1500;

export function renderCard(draft: Draft, around: CardSurroundings): CardMessage {
  const { text, keyboard } = renderView(draft, around);
  const { isGroup, ownerName } = around;
  return { text: isGroup ? `👤 ${escapeHtml(ownerName)}\n${text}` : text, keyboard };
}

export function showsBalance(draft: Draft, models: readonly Model[]): boolean {
  return pageOf(draft, models).kind === "card";
}

function renderView(draft: Draft, around: CardSurroundings): CardMessage {
  const page = pageOf(draft, around.models);
  if (page.kind === "models") return renderModels(draft, around);
  const form = evaluateForm(page.model, draft);
  if (page.kind === "replace") return renderReplace(draft, form, page.view, around.language);
  if (page.kind === "text") return renderTextPage(draft, form, page.field, around);
  if (page.kind === "parameter") return renderParameter(draft, form, page.field, around);
  const hasMore = draft.view.kind === "more" && form.pages.rare.length > 0;
  return hasMore ? renderMore(draft, form, around) : renderForm(draft, form, around);
}

type Page =
  | { kind: "models" }
  | { kind: "card"; model: Model }
  | { kind: "replace"; model: Model; view: Extract<View, { kind: "replace" }> }
  | { kind: "text"; model: Model; field: FormField }
  | { kind: "parameter"; model: Model; field: FormField };

/** Tells what the card shows. The view may name a model or parameter that has left the catalogue. */
function pageOf({ view, modelKey, parameters }: Draft, models: readonly Model[]): Page {
  const model = models.find(({ model_key }) => model_key === modelKey);
  if (view.kind === "models" || !model) return { kind: "models" };
  if (view.kind === "replace") return { kind: "replace", model, view };
  if (view.kind !== "text" && view.kind !== "parameter") return { kind: "card", model };
  const fields = fieldsOf(model);
  const name = view.kind === "text" ? mainTextName(fields, parameters) : view.name;
  const field = name === undefined ? undefined : fieldNamed(fields, name);
  return field ? { kind: view.kind, model, field } : { kind: "card", model };
}

function renderForm(draft: Draft, form: FormState, around: CardSurroundings): CardMessage {
  const { language, isGroup, models } = around;
  const { model, missing, notices } = form;
  const rare = changedSettings(form, language);
  const parts = [
    `${titleLine(model, form.values, around)}${noteLine(model)}`,
    ...mainTextPart(draft, form, language),
    ...picturesPart(form, language),
    ...(rare === "" ? [] : [language.t("card-more", { settings: rare })]),
    ...missing.map((one) => missingText(one, form, language, isGroup)),
    ...notices.map((notice) => noticeText(notice, models, language)).filter(Boolean),
    ...sumsOf(form, around),
  ].filter(Boolean);
  return { text: parts.join("\n\n"), keyboard: formKeyboard(draft, form, around) };
}

function renderMore(draft: Draft, form: FormState, around: CardSurroundings): CardMessage {
  const { language } = around;
  const text = `${titleLine(form.model, form.values, around)}\n${language.t("more-title")}`;
  return { text, keyboard: moreKeyboard(draft, form, language) };
}

/** Lists the settings of the second page that differ from their defaults. Pictures have a line of their own. */
function changedSettings({ model, fields, pages, values }: FormState, language: Language): string {
  const settings = pages.rare.flatMap((field) => {
    const { name, kind } = field;
    const value = values[name];
    const usual = name === fields.mode?.name ? derivedMode(fields, values) : usualOf(model, name);
    if (kind === "pictures" || value === undefined || value === usual) return [];
    const version = versionOf(model, name, value);
    const label = settingLabel(field, value, language, TEXT_IN_LINE);
    return [version === undefined ? label : `${label} (${version})`];
  });
  return escapeHtml(cutText(settings.join(" · "), LINE_SHOWN));
}

/** Returns the mode as it follows from what was given. */
function derivedMode(fields: ModelFields, values: Parameters): string | undefined {
  const { [fields.mode?.name ?? ""]: _chosen, ...given } = values;
  return modeValue(fields, given);
}

/** Shows the main text, and what was guessed of it. */
function mainTextPart(draft: Draft, { mainText, text, fields }: FormState, language: Language): string[] {
  if (text === undefined || mainText === undefined) return [];
  const quoted = quotedText(parameterName(mainText, language), text);
  return guessedFrom(fields, draft) ? [quoted, language.t(`guessed-${textKey(mainText)}`)] : [quoted];
}

/** Tells how many pictures go along, where no button of the card does. */
function picturesPart({ fields, pages, values }: FormState, { t }: Language): string[] {
  const count = picturesUsed(fields, values);
  const isTold = pages.common.some(({ kind }) => kind === "pictures");
  return count === 0 || isTold ? [] : [t("pictures-given", { count })];
}

export function modelByToken(models: readonly Model[], token: string): Model | undefined {
  return models.find(({ model_key }) => modelToken(model_key) === token);
}
