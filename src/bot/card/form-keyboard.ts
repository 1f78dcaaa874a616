import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { GenerationType } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import type { FormState } from "../form/evaluate-form.js";
import type { Field } from "../form/fields.js";
import { valuePrices } from "../form/value-prices.js";
import type { Language } from "../texts.js";
import { button, inPairs, inRows } from "./layout.js";
import { parameterName, settingLabel, textKey } from "./parameter-names.js";
import { shownPrice } from "./shown-price.js";

/** Below Telegram's limit of 100 buttons, for usability. */
const MOST_FIELDS = 60;
const TEXT_ON_BUTTON = 24;
const NAVIGATION_IN_A_ROW = 3;
const TYPES_OF_PICTURES = ["image", "video"] as const satisfies readonly GenerationType[];

/** The pay button is last. */
export function formKeyboard(draft: Draft, form: FormState, language: Language): InlineKeyboard {
  const { t } = language;
  const { payable, pages } = form;
  const settings = settingButtons(draft, form, pages.common, language);
  if (pages.rare.length > 0) settings.push(button(draft, t("button-more"), { kind: "more" }));
  const rows = [
    ...inPairs(settings),
    ...typeRows(draft, form, language),
    ...inRows(navigation(draft, form, language), NAVIGATION_IN_A_ROW),
  ];
  if (payable !== undefined) {
    const pay = t("button-generate", { price: shownPrice(payable, form, language) });
    rows.push([button(draft, `✅ ${pay}`, { kind: "pay", kopecks: payable })]);
  }
  return new InlineKeyboard(rows);
}

export function moreKeyboard(draft: Draft, form: FormState, language: Language): InlineKeyboard {
  return new InlineKeyboard([
    ...inPairs(settingButtons(draft, form, form.pages.rare, language)),
    [button(draft, language.t("button-back"), { kind: "card" })],
  ]);
}

function settingButtons(
  draft: Draft,
  form: FormState,
  fields: readonly Field[],
  language: Language,
): InlineKeyboardButton[] {
  return fields.slice(0, MOST_FIELDS).map((field) => {
    const label = settingLabel(field, form.values[field.name], language, TEXT_ON_BUTTON);
    // A toggle that changes the price has a page, which shows the price of each value.
    const isSwitch = field.kind === "toggle" && !valuePrices(form, field);
    return button(draft, label, { kind: isSwitch ? "toggle" : "parameter", token: field.token });
  });
}

/** Offers other kinds for pictures on a music card. */
function typeRows(draft: Draft, { notices }: FormState, { t }: Language): InlineKeyboardButton[][] {
  if (draft.type !== "music" || !notices.some(({ kind }) => kind === "pictures_idle")) return [];
  return [TYPES_OF_PICTURES.map((type) => button(draft, t(`button-as-${type}`), { kind: "type", type }))];
}

function navigation(draft: Draft, { mainText }: FormState, language: Language): InlineKeyboardButton[] {
  const { t } = language;
  const models = button(draft, t("button-models"), { kind: "models" });
  const cancel = button(draft, t("button-cancel"), { kind: "cancel" });
  if (mainText === undefined) return [models, cancel];
  return [button(draft, writeLabel(mainText, language), { kind: "write" }), models, cancel];
}

function writeLabel(name: string, language: Language): string {
  const { t, has } = language;
  const own = `button-write-${textKey(name)}`;
  return has(own) ? t(own) : t("button-write", { name: parameterName(name, language) });
}
