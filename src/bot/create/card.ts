import { InlineKeyboard } from "grammy";
import type { Model } from "../../contract/model.js";
import { totalKopecks } from "../../contract/price.js";
import type { Kopecks } from "../../platform/money.js";
import { shortfallText } from "../balance-words.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { renderModels } from "./card-models.js";
import { renderParameter } from "./card-parameter.js";
import {
  button,
  type CardMessage,
  type CardSurroundings,
  inRows,
  quotedText,
  titleOf,
} from "./card-parts.js";
import type { Draft } from "./draft.js";
import { requestOf } from "./draft-request.js";
import { type Control, controlNamed, formOf, modelToken, offeredParameters } from "./form.js";
import { needText } from "./need-text.js";
import { needsOf } from "./needs.js";
import { parameterName, settingName } from "./parameter-names.js";
import { hasIdlePictures } from "./picture-slots.js";
import { mainTextName, settingOf, shownControls } from "./relevance.js";

const CONTROLS_IN_A_ROW = 2;
/** Telegram takes 100 buttons; nobody looks for one among more than this. */
const MOST_CONTROLS = 60;
const TEXT_ON_BUTTON = 24;
const TEXT_IN_LINE = 60;
const LINE_SHOWN = 1500;

/** Draws the card of a draft. The same draft and surroundings give the same message. */
export function renderCard(draft: Draft, around: CardSurroundings): CardMessage {
  const { text, keyboard } = renderView(draft, around);
  const { isGroup, ownerName } = around;
  return { text: isGroup ? `👤 ${escapeHtml(ownerName)}\n${text}` : text, keyboard };
}

/** True where the card shows what its person has: the list of models and the page of a parameter do not. */
export function showsBalance(draft: Draft, models: readonly Model[]): boolean {
  return pageOf(draft, models).kind === "card";
}

function renderView(stored: Draft, around: CardSurroundings): CardMessage {
  const page = pageOf(stored, around.models);
  if (page.kind === "models") return renderModels(stored, around);
  const { model } = page;
  const parameters = offeredParameters(model, stored.parameters);
  const draft = parameters === stored.parameters ? stored : { ...stored, parameters };
  if (page.kind === "card") return renderDraft(draft, model, around);
  return renderParameter(draft, model, page.control, around.language, around.isGroup);
}

type Page =
  | { kind: "models" }
  | { kind: "card"; model: Model }
  | { kind: "parameter"; model: Model; control: Control };

/** What of a draft is shown: what its view names may have left the catalogue. */
function pageOf({ view, modelKey }: Draft, models: readonly Model[]): Page {
  const model = models.find(({ model_key }) => model_key === modelKey);
  if (view.kind === "models" || !model) return { kind: "models" };
  const control = view.kind === "parameter" ? controlNamed(model, view.name) : undefined;
  return control ? { kind: "parameter", model, control } : { kind: "card", model };
}

/** The price of a draft that lacks nothing; undefined where it cannot be paid yet. */
export function payableKopecks(draft: Draft, model: Model): Kopecks | undefined {
  return needsOf(draft, model).length > 0 ? undefined : totalKopecks(model, requestOf(draft, model));
}

function renderDraft(draft: Draft, model: Model, around: CardSurroundings): CardMessage {
  const { language, balanceKopecks, isGroup } = around;
  const { t, money } = language;
  const controls = shownControls(model, draft.parameters).slice(0, MOST_CONTROLS);
  const price = totalKopecks(model, requestOf(draft, model));
  const needs = needsOf(draft, model);
  const sums = [
    price === undefined ? t("card-price-unknown") : t("card-price", { price: money(price) }),
    // What somebody has is nobody else's business.
    isGroup || balanceKopecks === undefined ? "" : t("card-balance", { balance: money(balanceKopecks) }),
  ].filter(Boolean);
  const parts = [
    `${titleLine(model, around)}\n${settingsLine(draft, model, controls, language)}`.trimEnd(),
    ...mainTextPart(draft, model, language),
    ...needs.map((need) => needText(need, model, language, isGroup)),
    ...(hasIdlePictures(model, draft.parameters) ? [t("pictures-idle")] : []),
    sums.join("\n"),
  ];
  const missing = price === undefined || balanceKopecks === undefined ? 0 : price - balanceKopecks;
  if (missing > 0) parts.push(shortfallText(missing, around, around.supportContact));
  const payable = needs.length === 0 ? price : undefined;
  return { text: parts.join("\n\n"), keyboard: draftKeyboard(draft, model, controls, payable, language) };
}

function draftKeyboard(
  draft: Draft,
  model: Model,
  controls: readonly Control[],
  payable: Kopecks | undefined,
  language: Language,
): InlineKeyboard {
  const { t, money } = language;
  const form = formOf(model);
  const settings = controls.map((control) => {
    const value = settingName(control, settingOf(control, form, draft.parameters), language, TEXT_ON_BUTTON);
    const kind = control.kind === "toggle" ? "toggle" : "parameter";
    return button(draft, `${parameterName(control.name, language)}: ${value}`, {
      kind,
      token: control.token,
    });
  });
  const rows = inRows(settings, CONTROLS_IN_A_ROW);
  if (payable !== undefined) {
    const pay = t("button-generate", { price: money(payable) });
    rows.push([button(draft, `✅ ${pay}`, { kind: "pay", kopecks: payable })]);
  }
  const main = mainTextName(model, draft.parameters);
  const write = main === undefined ? [] : [t("button-write", { name: parameterName(main, language) })];
  rows.push([
    ...write.map((label) => button(draft, label, { kind: "write" })),
    button(draft, t("button-models"), { kind: "models" }),
  ]);
  rows.push([button(draft, t("button-cancel"), { kind: "cancel" })]);
  return new InlineKeyboard(rows);
}

function titleLine(model: Model, { language, isLocalPreview }: CardSurroundings): string {
  return isLocalPreview ? `${titleOf(model)} <i>${language.t("local-preview")}</i>` : titleOf(model);
}

/** What is set, in one line; what is not set stands on its button only. */
function settingsLine(draft: Draft, model: Model, controls: readonly Control[], language: Language): string {
  const form = formOf(model);
  const settings = controls.flatMap((control) => {
    const value = settingOf(control, form, draft.parameters);
    if (value === undefined) return [];
    const name = parameterName(control.name, language);
    return [`${name}: ${settingName(control, value, language, TEXT_IN_LINE)}`];
  });
  return escapeHtml(cutText(settings.join(" · "), LINE_SHOWN));
}

function mainTextPart(draft: Draft, model: Model, language: Language): string[] {
  const main = mainTextName(model, draft.parameters);
  if (draft.prompt === null || main === undefined) return [];
  return [quotedText(parameterName(main, language), draft.prompt)];
}

/** The model that a button of the list stands for. */
export function modelByToken(models: readonly Model[], token: string): Model | undefined {
  return models.find(({ model_key }) => modelToken(model_key) === token);
}
