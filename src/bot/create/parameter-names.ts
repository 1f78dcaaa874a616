import type { ParameterValue } from "../../contract/model.js";
import { Recent } from "../../platform/recent.js";
import { cutText } from "../html.js";
import type { Language } from "../texts.js";
import type { Control } from "./form.js";
import { picturesIn } from "./picture-slots.js";

const NAME_SHOWN = 40;
const NOTHING = "—";

/** Of names and values, of which catalogues hold a few hundred. */
const REMEMBERED = 2000;

type Remembered = WeakMap<Language, Recent<string, string>>;
/** Names and values are looked up on every card. */
const names: Remembered = new WeakMap();
const values: Remembered = new WeakMap();

function remembered(kept: Remembered, language: Language, key: string, lookUp: () => string): string {
  let known = kept.get(language);
  if (!known) {
    known = new Recent(REMEMBERED);
    kept.set(language, known);
  }
  let words = known.get(key);
  if (words === undefined) {
    words = lookUp();
    known.set(key, words);
  }
  return words;
}

/** What people call a parameter; a parameter without words of its own is shown by its name. */
export function parameterName(name: string, language: Language): string {
  const { t, has } = language;
  return remembered(names, language, name, () => {
    const key = `parameter-${textKey(name)}`;
    return has(key) ? t(key) : cutText(name.replaceAll("_", " "), NAME_SHOWN);
  });
}

/** What people call a value of a parameter. */
export function valueName(
  { name }: Pick<Control, "name">,
  value: string | number,
  language: Language,
): string {
  if (typeof value === "number") return amountName(name, value, language);
  const { t, has } = language;
  return remembered(values, language, `${name} ${value}`, () => {
    const key = `value-${textKey(name)}-${textKey(value)}`;
    return has(key) ? t(key) : cutText(value, NAME_SHOWN);
  });
}

function amountName(name: string, value: number, { t, has, number }: Language): string {
  const withUnit = `amount-${textKey(name)}`;
  return has(withUnit) ? t(withUnit, { value: number(value) }) : number(value);
}

/**
 * What a control is set to, in one line.
 * @param textShown how much of a text is shown, in UTF-16 units
 */
export function settingName(
  control: Control,
  value: ParameterValue | undefined,
  language: Language,
  textShown: number,
): string {
  const { t } = language;
  if (control.kind === "toggle") return t(value === true ? "value-yes" : "value-no");
  if (value === undefined) return NOTHING;
  if (control.kind === "pictures") {
    const count = picturesIn({ [control.name]: value }, control.name).length;
    return control.isList ? `${count}/${control.max}` : "🖼";
  }
  if (control.kind === "text") return cutText(String(value).replace(/\s+/g, " "), textShown);
  return typeof value === "boolean" || typeof value === "object"
    ? NOTHING
    : valueName(control, value, language);
}

const keys = new Recent<string, string>(REMEMBERED);

/** Fluent's keys hold letters, digits, dashes and underscores. */
function textKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = name.replaceAll(/[^A-Za-z0-9-]/g, "-");
  keys.set(name, key);
  return key;
}
