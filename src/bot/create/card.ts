import { InlineKeyboard } from "grammy";
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
  const keyboard = new InlineKeyboard();
  for (const model of models.slice(page * MODELS_ON_A_PAGE, (page + 1) * MODELS_ON_A_PAGE)) {
    const lowest = lowestPriceKopecks(model);
    const price = lowest === undefined ? "" : t("models-price-from", { price: money(lowest) });
    keyboard.text(`${model.title} · ${price}`, data(draft, { kind: "model", key: model.model_key })).row();
  }
  if (pages > 1) {
    const turn = (by: number): CardAction => ({ kind: "page", page: (page + by + pages) % pages });
    keyboard
      .text("‹", data(draft, turn(-1)))
      .text(t("models-page", { page: page + 1, pages }), data(draft, { kind: "page", page }))
      .text("›", data(draft, turn(1)))
      .row();
  }
  if (draft.modelKey !== null) keyboard.text(t("button-back"), data(draft, { kind: "card" }));
  keyboard.text(t("button-cancel"), data(draft, { kind: "cancel" }));
  return { text: [`<b>${t("models-title")}</b>`, ...promptLines(draft, language)].join("\n\n"), keyboard };
}

function renderDraft(draft: Draft, model: Model, around: CardSurroundings): CardMessage {
  const { language, balanceKopecks } = around;
  const { t, money } = language;
  const price = totalKopecks(model, requestOf(draft, model));
  const lines = [titleLine(model, around), ...parameterLines(draft, model, language)];
  const sums = [
    price === undefined ? "" : t("card-price", { price: money(price) }),
    t("card-balance", { balance: money(balanceKopecks) }),
  ].filter(Boolean);
  const parts = [lines.join("\n"), ...promptPart(draft, around), sums.join("\n")];
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
  const keyboard = new InlineKeyboard();
  controlsOf(model).forEach(({ name }, index) => {
    const label = `${parameterName(name, language)}: ${valueName(name, draft.parameters[name], language)}`;
    keyboard.text(label, data(draft, { kind: "parameter", name }));
    if (index % 2 === 1) keyboard.row();
  });
  keyboard.row();
  if (draft.prompt !== null && price !== undefined) {
    const pay = t("button-generate", { price: money(price) });
    keyboard.text(`✅ ${pay}`, data(draft, { kind: "pay", kopecks: price })).row();
  }
  const write = draft.prompt === null ? "button-write-prompt" : "button-change-prompt";
  keyboard
    .text(t(write), data(draft, { kind: "write" }))
    .text(t("button-models"), data(draft, { kind: "models" }));
  return keyboard.row().text(t("button-cancel"), data(draft, { kind: "cancel" }));
}

function renderChoices(draft: Draft, model: Model, control: Control, language: Language): CardMessage {
  const { name, choices } = control;
  const keyboard = new InlineKeyboard();
  choices.forEach((choice, index) => {
    const mark = choice === draft.parameters[name] ? "• " : "";
    keyboard.text(`${mark}${valueName(name, choice, language)}`, data(draft, { kind: "value", name, index }));
    if (index % CHOICES_IN_A_ROW === CHOICES_IN_A_ROW - 1) keyboard.row();
  });
  keyboard.row().text(language.t("button-back"), data(draft, { kind: "card" }));
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

function parameterLines(draft: Draft, model: Model, language: Language): string[] {
  return controlsOf(model).map(
    ({ name }) => `${parameterName(name, language)}: ${valueName(name, draft.parameters[name], language)}`,
  );
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

function data(draft: Draft, action: CardAction): string {
  return writeCardData({ draftId: draft.id, revision: draft.revision, action });
}

/** The value that a tap on a choice stands for. */
export function chosenValue(model: Model, name: string, index: number): ParameterValue | undefined {
  return controlsOf(model).find((control) => control.name === name)?.choices[index];
}
