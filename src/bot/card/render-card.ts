import type { Model } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import { mainTextName } from "../form/active-fields.js";
import { evaluateForm, type FormState } from "../form/evaluate-form.js";
import { defaultOf, type Field, fieldNamed, fieldsOf, modelToken } from "../form/fields.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { formKeyboard, moreKeyboard } from "./form-keyboard.js";
import { type CardMessage, type CardSurroundings, quotedText, titleLine } from "./layout.js";
import { missingText } from "./missing-text.js";
import { renderModels } from "./models-page.js";
import { noticeText } from "./notice-text.js";
import { parameterName, settingLabel } from "./parameter-names.js";
import { renderParameter } from "./parameter-page.js";
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
  if (page.kind === "text") return renderTextPage(draft, form, page.field, around);
  if (page.kind === "parameter")
    return renderParameter(draft, form, page.field, around.language, around.isGroup);
  const hasMore = draft.view.kind === "more" && form.pages.rare.length > 0;
  return hasMore ? renderMore(draft, form, around) : renderForm(draft, form, around);
}

type Page =
  | { kind: "models" }
  | { kind: "card"; model: Model }
  | { kind: "text"; model: Model; field: Field }
  | { kind: "parameter"; model: Model; field: Field };

/** What the card shows. The view may name a model or parameter that has left the catalogue. */
function pageOf({ view, modelKey, parameters }: Draft, models: readonly Model[]): Page {
  const model = models.find(({ model_key }) => model_key === modelKey);
  if (view.kind === "models" || !model) return { kind: "models" };
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
    titleLine(model, around),
    ...mainTextPart(draft, form, language),
    ...(rare === "" ? [] : [language.t("card-more", { settings: rare })]),
    ...missing.map((one) => missingText(one, form, language, isGroup)),
    ...notices.map((notice) => noticeText(notice, models, language)).filter(Boolean),
    ...sumsOf(form, around),
  ].filter(Boolean);
  return { text: parts.join("\n\n"), keyboard: formKeyboard(draft, form, language) };
}

function renderMore(draft: Draft, form: FormState, around: CardSurroundings): CardMessage {
  const { language } = around;
  const text = `${titleLine(form.model, around)}\n${language.t("more-title")}`;
  return { text, keyboard: moreKeyboard(draft, form, language) };
}

/** The settings of the second page that differ from their defaults. */
function changedSettings({ model, pages, values }: FormState, language: Language): string {
  const settings = pages.rare.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined || value === defaultOf(model, field.name)) return [];
    return [settingLabel(field, value, language, TEXT_IN_LINE)];
  });
  return escapeHtml(cutText(settings.join(" · "), LINE_SHOWN));
}

function mainTextPart({ prompt }: Draft, { mainText }: FormState, language: Language): string[] {
  if (prompt === null || mainText === undefined) return [];
  return [quotedText(parameterName(mainText, language), prompt)];
}

export function modelByToken(models: readonly Model[], token: string): Model | undefined {
  return models.find(({ model_key }) => modelToken(model_key) === token);
}
