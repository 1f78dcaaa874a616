import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { GenerationType } from "../../contract/model.js";
import { versionOf } from "../../contract/version-title.js";
import type { Language } from "../texts/texts.js";
import type { Draft } from "./draft/draft.js";
import type { FormState } from "./form/evaluate-form.js";
import { type FormField, fieldNamed } from "./form/fields.js";
import { valuePrices } from "./form/value-prices.js";
import { guessedFrom, type Way } from "./form/ways.js";
import { button, type CardSurroundings, inPairs } from "./layout.js";
import { parameterName, settingLabel, textKey } from "./parameter-names.js";
import { payRows } from "./pay-rows.js";

/** The most fields with a button: fewer than the 100 buttons that Telegram allows, for usability. */
const MOST_FIELDS = 60;
const TEXT_ON_BUTTON = 24;
const TYPES_OF_PICTURES = ["image", "video"] as const satisfies readonly GenerationType[];

/** Draws the buttons of a card. The pay button is last. */
export function formKeyboard(draft: Draft, form: FormState, around: CardSurroundings): InlineKeyboard {
  const { language } = around;
  const { t } = language;
  const texts = textButtons(draft, form, language);
  const others = [
    ...settingButtons(draft, form, form.pages.common, language),
    ...(form.pages.rare.length > 0 ? [button(draft, t("button-more"), { kind: "more" })] : []),
    ...typeButtons(draft, form, language),
    button(draft, t("button-models"), { kind: "models" }),
    button(draft, t("button-cancel"), { kind: "cancel" }),
  ];
  const isEven = (texts.length + others.length) % 2 === 0;
  const rows = isEven ? inPairs([...texts, ...others]) : [...inPairs(texts), ...inPairs(others)];
  return new InlineKeyboard([...rows, ...payRows(draft, form, around)]);
}

export function moreKeyboard(draft: Draft, form: FormState, language: Language): InlineKeyboard {
  const { mainText, ways, pages } = form;
  const way = ways.find(({ text }) => text === mainText);
  const write = mainText === undefined ? [] : [writeButton(draft, form, mainText, way, language)];
  const buttons = [...write, ...settingButtons(draft, form, pages.rare, language)];
  return new InlineKeyboard([
    ...inPairs(buttons),
    [button(draft, language.t("button-back"), { kind: "card" })],
  ]);
}

function settingButtons(
  draft: Draft,
  form: FormState,
  fields: readonly FormField[],
  language: Language,
): InlineKeyboardButton[] {
  return fields.slice(0, MOST_FIELDS).map((field) => {
    const value = form.values[field.name];
    const version = versionOf(form.model, field.name, value);
    const label = settingLabel(field, value, language, TEXT_ON_BUTTON);
    // A toggle that changes the price has a page, which shows the price of each value.
    const isSwitch = field.kind === "toggle" && !valuePrices(form, field);
    const action = { kind: isSwitch ? "toggle" : "parameter", token: field.token } as const;
    return button(draft, version === undefined ? label : `${label} (${version})`, action);
  });
}

/**
 * Draws what asks for a text: each other way, and the main text while it is missing, or where there is no second page.
 * After a guess the other way takes the text that is there.
 */
function textButtons(draft: Draft, form: FormState, language: Language): InlineKeyboardButton[] {
  const { mainText, text, ways, pages, fields } = form;
  if (mainText === undefined) return [];
  const isHere = text === undefined || pages.rare.length === 0;
  if (ways.length === 0) return isHere ? [writeButton(draft, form, mainText, undefined, language)] : [];
  const guessed = guessedFrom(fields, draft);
  return ways.flatMap((way) => {
    if (way.text === mainText) return isHere ? [writeButton(draft, form, mainText, way, language)] : [];
    if (way.text !== guessed?.text) return [writeButton(draft, form, way.text, way, language)];
    const token = tokenOf(form, way.text);
    return [button(draft, language.t(`button-retake-${textKey(way.text)}`), { kind: "retake", token })];
  });
}

function writeButton(
  draft: Draft,
  form: FormState,
  name: string,
  way: Way | undefined,
  language: Language,
): InlineKeyboardButton {
  const label = writeLabel(name, language);
  return button(draft, label, way ? { kind: "write", token: tokenOf(form, name) } : { kind: "write" });
}

function tokenOf({ fields }: FormState, name: string): string {
  return fieldNamed(fields, name)?.token ?? name;
}

/** Offers other kinds for pictures on a music card. */
function typeButtons(draft: Draft, { notices }: FormState, { t }: Language): InlineKeyboardButton[] {
  if (draft.type !== "music" || !notices.some(({ kind }) => kind === "pictures_idle")) return [];
  return TYPES_OF_PICTURES.map((type) => button(draft, t(`button-as-${type}`), { kind: "type", type }));
}

function writeLabel(name: string, language: Language): string {
  const { t, has } = language;
  const own = `button-write-${textKey(name)}`;
  return has(own) ? t(own) : t("button-write", { name: parameterName(name, language) });
}
