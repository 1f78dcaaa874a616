import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Model } from "../../contract/model.js";
import { escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { button, type CardMessage, inRows, titleOf } from "./card-parts.js";
import type { Draft } from "./draft.js";
import { type Control, formOf, type NumberControl } from "./form.js";
import { parameterName, settingName, valueName } from "./parameter-names.js";
import { fileIdOf, picturesIn } from "./picture-slots.js";
import { settingOf } from "./relevance.js";

const CHOICES_IN_A_ROW = 4;
const TEXT_SHOWN = 700;
const LINK_SHOWN = 60;

/** The page of one parameter: its values to pick from, or what to send, and the way back. */
export function renderParameter(
  draft: Draft,
  model: Model,
  control: Control,
  language: Language,
  isGroup: boolean,
): CardMessage {
  const { t } = language;
  const isSet = draft.parameters[control.name] !== undefined;
  const rows = inRows(choiceButtons(draft, model, control, language), CHOICES_IN_A_ROW);
  const clear = button(draft, t(clearLabel(control)), { kind: "clear", token: control.token });
  if (isSet && canBeCleared(control)) rows.push([clear]);
  rows.push([button(draft, t("button-back"), { kind: "card" })]);

  const head = `${titleOf(model)}\n${t("choose-value", { name: escapeHtml(parameterName(control.name, language)) })}`;
  const asked = wordsFor(control, language);
  const how = asked && isGroup ? `${asked} ${t("page-by-reply")}` : asked;
  const parts = [`${head}${currentOf(draft, control, language)}`, ...(how ? [how] : [])];
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(rows) };
}

/** What to send for a parameter; undefined where there are only buttons. */
export function wordsFor(control: Control, language: Language): string | undefined {
  const { t } = language;
  switch (control.kind) {
    case "text":
      return control.max === undefined ? t("page-text") : t("page-text-max", { max: control.max });
    case "number":
      return numberWords(control, language);
    case "pictures":
      return control.isList ? t("page-pictures", { max: control.max }) : t("page-picture");
    default:
      return undefined;
  }
}

/** Says which numbers a parameter takes. */
export function numberWords({ isInteger, min, max }: NumberControl, { t, number }: Language): string {
  const kind = isInteger ? "whole" : "any";
  if (min === undefined || max === undefined) return t(`page-number-${kind}`);
  return t(`page-number-${kind}-between`, { min: number(min), max: number(max) });
}

function choiceButtons(
  draft: Draft,
  model: Model,
  control: Control,
  language: Language,
): InlineKeyboardButton[] {
  const { name, token } = control;
  if (control.kind === "choice" || control.kind === "number") {
    const current = settingOf(control, formOf(model), draft.parameters);
    return control.choices.map((choice, index) => {
      const mark = choice === current ? "• " : "";
      const action = { kind: "value", token, index } as const;
      return button(draft, `${mark}${valueName(control, choice, language)}`, action);
    });
  }
  if (control.kind !== "pictures" || !control.isList) return [];
  return picturesIn(draft.parameters, name).map((_picture, index) =>
    button(draft, `🗑 ${index + 1}`, { kind: "remove", token, index }),
  );
}

function canBeCleared(control: Control): boolean {
  return control.kind === "choice"
    ? control.canBeUnset
    : control.kind === "text" || control.kind === "pictures";
}

function clearLabel(control: Control): string {
  if (control.kind === "pictures") return control.isList ? "button-remove-all" : "button-remove";
  return "button-clear";
}

/** What the parameter holds now: a text, or the pictures in their order. */
function currentOf({ parameters }: Draft, control: Control, language: Language): string {
  const value = parameters[control.name];
  if (value === undefined) return "";
  if (control.kind === "text") {
    return `\n<blockquote>${escapeHtml(settingName(control, value, language, TEXT_SHOWN))}</blockquote>`;
  }
  if (control.kind !== "pictures") return "";
  const lines = picturesIn(parameters, control.name).map((picture, index) => {
    const words = fileIdOf(picture) === undefined ? shortLink(picture) : language.t("picture-of-chat");
    return `\n${index + 1}. ${escapeHtml(words)}`;
  });
  return lines.join("");
}

/** Enough of a link to know it again; its end often says more than its middle. */
function shortLink(link: string): string {
  if (link.length <= LINK_SHOWN) return link;
  return `${link.slice(0, LINK_SHOWN - 21)}…${link.slice(-20)}`;
}
