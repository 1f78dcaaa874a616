import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Model, ParameterValue } from "../../contract/model.js";
import { lowestPriceKopecks, totalKopecks } from "../../contract/price.js";
import type { Kopecks } from "../../platform/money.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { type CardAction, writeCardData } from "./card-data.js";
import { type Control, controlsOf } from "./controls.js";
import type { Draft } from "./draft.js";
import { requestOf } from "./draft-request.js";
import { parameterName, valueName } from "./parameter-names.js";

const MODELS_ON_A_PAGE = 6;
const PROMPT_SHOWN = 700;
const CHOICES_IN_A_ROW = 4;
const CONTROLS_IN_A_ROW = 2;

/** Everything that a card shows beside its draft. */
export interface CardSurroundings {
  models: readonly Model[];
  balanceKopecks: Kopecks;
  language: Language;
  isLocalPreview: boolean;
  supportContact: string | undefined;
  /** In a group only answers to the bot's question reach it. */
  isGroup: boolean;
}

/** A message as it is sent: HTML and buttons. */
export interface CardMessage {
  text: string;
  keyboard: InlineKeyboard;
}

/** Draws the card of a draft. The same draft and surroundings give the same message. */
export function renderCard(draft: Draft, around: CardSurroundings): CardMessage {
  const model = around.models.find(({ model_key }) => model_key === draft.modelKey);
  if (draft.view.kind === "models" || !model) return renderModels(draft, around);
  if (draft.view.kind === "parameter") {
    const { name } = draft.view;
    const control = controlsOf(model).find((one) => one.name === name);
    if (control) return renderChoices(draft, model, control, around.language);
  }
  return renderDraft(draft, model, around);
}

function renderModels(draft: Draft, { models, language }: CardSurroundings): CardMessage {
  const { t, money } = language;
  const pages = Math.max(1, Math.ceil(models.length / MODELS_ON_A_PAGE));
  const page = Math.min(draft.view.kind === "models" ? draft.view.page : 0, pages - 1);
  const shown = models.slice(page * MODELS_ON_A_PAGE, (page + 1) * MODELS_ON_A_PAGE);
  const rows = shown.map((model) => {
    const lowest = lowestPriceKopecks(model);
    const price = lowest === undefined ? "" : ` · ${t("models-price-from", { price: money(lowest) })}`;
    return [button(draft, `${model.title}${price}`, { kind: "model", key: model.model_key })];
  });
  const turn = (by: number): CardAction => ({ kind: "page", page: (page + by + pages) % pages });
  const here = t("models-page", { page: page + 1, pages });
  if (pages > 1) {
    rows.push([button(draft, "‹", turn(-1)), button(draft, here, turn(0)), button(draft, "›", turn(1))]);
  }
  const back = button(draft, t("button-back"), { kind: "card" });
  const cancel = button(draft, t("button-cancel"), { kind: "cancel" });
  rows.push(draft.modelKey === null ? [cancel] : [back, cancel]);
  const keyboard = InlineKeyboard.from(rows);
  return { text: [`<b>${t("models-title")}</b>`, ...promptLines(draft, language)].join("\n\n"), keyboard };
}

function renderDraft(draft: Draft, model: Model, around: CardSurroundings): CardMessage {
  const { language, balanceKopecks } = around;
  const { t, money } = language;
  const price = totalKopecks(model, requestOf(draft, model));
  const head = `${titleLine(model, around)}\n${parameterLine(draft, model, language)}`;
  const sums = [
    price === undefined ? "" : t("card-price", { price: money(price) }),
    // What somebody has is nobody else's business.
    around.isGroup ? "" : t("card-balance", { balance: money(balanceKopecks) }),
  ].filter(Boolean);
  const parts = [head, ...promptPart(draft, around), sums.join("\n")];
  const missing = price === undefined ? 0 : price - balanceKopecks;
  if (missing > 0) parts.push(missingMoney(missing, language, around.supportContact));
  return { text: parts.join("\n\n"), keyboard: draftKeyboard(draft, model, price, language) };
}

function draftKeyboard(
  draft: Draft,
  model: Model,
  price: Kopecks | undefined,
  language: Language,
): InlineKeyboard {
  const { t, money } = language;
  const controls = controlsOf(model).map(({ name }) => {
    const label = `${parameterName(name, language)}: ${valueName(name, draft.parameters[name], language)}`;
    return button(draft, label, { kind: "parameter", name });
  });
  const rows = inRows(controls, CONTROLS_IN_A_ROW);
  if (draft.prompt !== null && price !== undefined) {
    const pay = t("button-generate", { price: money(price) });
    rows.push([button(draft, `✅ ${pay}`, { kind: "pay", kopecks: price })]);
  }
  const write = draft.prompt === null ? "button-write-prompt" : "button-change-prompt";
  rows.push([
    button(draft, t(write), { kind: "write" }),
    button(draft, t("button-models"), { kind: "models" }),
  ]);
  rows.push([button(draft, t("button-cancel"), { kind: "cancel" })]);
  return InlineKeyboard.from(rows);
}

function renderChoices(draft: Draft, model: Model, control: Control, language: Language): CardMessage {
  const { name, choices } = control;
  const buttons = choices.map((choice, index) => {
    const mark = choice === draft.parameters[name] ? "• " : "";
    return button(draft, `${mark}${valueName(name, choice, language)}`, { kind: "value", name, index });
  });
  const back = button(draft, language.t("button-back"), { kind: "card" });
  const keyboard = InlineKeyboard.from([...inRows(buttons, CHOICES_IN_A_ROW), [back]]);
  const title = `<b>${escapeHtml(model.title)}</b>`;
  return {
    text: `${title}\n${language.t("choose-value", { name: parameterName(name, language) })}`,
    keyboard,
  };
}

function titleLine(model: Model, { language, isLocalPreview }: CardSurroundings): string {
  const title = `<b>${escapeHtml(model.title)}</b>`;
  return isLocalPreview ? `${title} <i>${language.t("local-preview")}</i>` : title;
}

function parameterLine(draft: Draft, model: Model, language: Language): string {
  return controlsOf(model)
    .map(
      ({ name }) => `${parameterName(name, language)}: ${valueName(name, draft.parameters[name], language)}`,
    )
    .join(" · ");
}

function promptPart(draft: Draft, { language, isGroup }: CardSurroundings): string[] {
  if (draft.prompt !== null) return promptLines(draft, language);
  return [language.t(isGroup ? "card-prompt-wanted-group" : "card-prompt-wanted")];
}

function promptLines(draft: Draft, { t }: Language): string[] {
  if (draft.prompt === null) return [];
  return [`${t("card-prompt")}\n<blockquote>${escapeHtml(cutText(draft.prompt, PROMPT_SHOWN))}</blockquote>`];
}

/** Says how much is missing and whom to ask. */
export function missingMoney(missing: Kopecks, { t, money }: Language, contact: string | undefined): string {
  const lack = t("money-missing", { missing: money(missing) });
  const ask = contact ? t("money-ask", { contact: escapeHtml(contact) }) : t("money-ask-nobody");
  return `${lack} ${ask}`;
}

function button(draft: Draft, label: string, action: CardAction): InlineKeyboardButton {
  return InlineKeyboard.text(label, writeCardData({ draftId: draft.id, revision: draft.revision, action }));
}

function inRows(buttons: InlineKeyboardButton[], inARow: number): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (let start = 0; start < buttons.length; start += inARow)
    rows.push(buttons.slice(start, start + inARow));
  return rows;
}

/** The value that a tap on a choice stands for. */
export function chosenValue(model: Model, name: string, index: number): ParameterValue | undefined {
  return controlsOf(model).find((control) => control.name === name)?.choices[index];
}
