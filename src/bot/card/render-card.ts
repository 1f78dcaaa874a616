import { InlineKeyboard } from "grammy";
import type { Model } from "../../contract/model.js";
import { shortfallText } from "../balance-words.js";
import type { Draft } from "../draft/draft.js";
import { mainTextName } from "../form/active-fields.js";
import { evaluateForm, type FormState } from "../form/evaluate-form.js";
import { type Field, fieldNamed, fieldsOf, modelToken } from "../form/fields.js";
import { hasIdlePictures } from "../form/picture-fields.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { button, type CardMessage, type CardSurroundings, inRows, quotedText, titleOf } from "./layout.js";
import { missingText } from "./missing-text.js";
import { renderModels } from "./models-page.js";
import { parameterName, settingName } from "./parameter-names.js";
import { renderParameter } from "./parameter-page.js";
import { renderShort } from "./short-card.js";
import { shownPrice } from "./shown-price.js";
import { renderTextPage } from "./text-page.js";

const FIELDS_IN_A_ROW = 2;
/** Below Telegram's limit of 100 buttons, for usability. */
const MOST_FIELDS = 60;
const TEXT_ON_BUTTON = 24;
const TEXT_IN_LINE = 60;
const LINE_SHOWN = 1500;

/** Pure: the same draft and surroundings give the same message. */
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
  const short = draft.view.kind === "short" ? renderShort(draft, form, around) : undefined;
  if (short) return short;
  if (page.kind === "card") return renderForm(draft, form, around);
  if (page.kind === "text") return renderTextPage(draft, form, page.field, around);
  return renderParameter(draft, form, page.field, around.language, around.isGroup);
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
  if (view.kind === "card" || view.kind === "short") return { kind: "card", model };
  const fields = fieldsOf(model);
  const name = view.kind === "text" ? mainTextName(fields, parameters) : view.name;
  const field = name === undefined ? undefined : fieldNamed(fields, name);
  return field ? { kind: view.kind, model, field } : { kind: "card", model };
}

function renderForm(draft: Draft, form: FormState, around: CardSurroundings): CardMessage {
  const { language, balanceKopecks, isGroup } = around;
  const { t, money } = language;
  const { model, total } = form;
  const fields = form.active.slice(0, MOST_FIELDS);
  const sums = [
    total === undefined
      ? t("card-price-unknown")
      : t("card-price", { price: shownPrice(total, form, language) }),
    // A group must not see a person's balance.
    isGroup || balanceKopecks === undefined ? "" : t("card-balance", { balance: money(balanceKopecks) }),
  ].filter(Boolean);
  const parts = [
    `${titleLine(model, around)}\n${settingsLine(form, fields, language)}`.trimEnd(),
    ...mainTextPart(draft, form, language),
    ...form.missing.map((missing) => missingText(missing, form, language, isGroup)),
    ...(hasIdlePictures(form.fields, draft.parameters) ? [t("pictures-idle")] : []),
    sums.join("\n"),
  ];
  const shortfall = total === undefined || balanceKopecks === undefined ? 0 : total - balanceKopecks;
  if (shortfall > 0) parts.push(shortfallText(shortfall, around, around.supportContact));
  return { text: parts.join("\n\n"), keyboard: formKeyboard(draft, form, fields, language) };
}

function formKeyboard(
  draft: Draft,
  form: FormState,
  fields: readonly Field[],
  language: Language,
): InlineKeyboard {
  const { t } = language;
  const { payable, mainText } = form;
  const settings = fields.map((field) => {
    const value = settingName(field, form.values[field.name], language, TEXT_ON_BUTTON);
    const kind = field.kind === "toggle" ? "toggle" : "parameter";
    return button(draft, `${parameterName(field.name, language)}: ${value}`, { kind, token: field.token });
  });
  const rows = inRows(settings, FIELDS_IN_A_ROW);
  if (payable !== undefined) {
    const pay = t("button-generate", { price: shownPrice(payable, form, language) });
    rows.push([button(draft, `✅ ${pay}`, { kind: "pay", kopecks: payable })]);
  }
  const write =
    mainText === undefined ? [] : [t("button-write", { name: parameterName(mainText, language) })];
  rows.push([
    ...write.map((label) => button(draft, label, { kind: "write" })),
    button(draft, t("button-models"), { kind: "models" }),
  ]);
  rows.push([button(draft, t("button-cancel"), { kind: "cancel" })]);
  return new InlineKeyboard(rows);
}

function titleLine(model: Model, { language }: CardSurroundings): string {
  return model.isPreview ? `${titleOf(model)} <i>${language.t("local-preview")}</i>` : titleOf(model);
}

function settingsLine({ values }: FormState, fields: readonly Field[], language: Language): string {
  const settings = fields.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined) return [];
    return [`${parameterName(field.name, language)}: ${settingName(field, value, language, TEXT_IN_LINE)}`];
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
