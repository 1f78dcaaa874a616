import type { ParameterValue } from "../../contract/model.js";
import { Recent } from "../../platform/recent.js";
import { cutText } from "../html.js";
import type { Language } from "../texts.js";
import type { Control } from "./form.js";
import { picturesIn } from "./picture-slots.js";

const NAME_SHOWN = 40;
const NOTHING = "—";

/** Names are looked up on every card; there are no more of them than the catalogue has. */
const names = new WeakMap<Language, Map<string, string>>();

/** What people call a parameter; a parameter without words of its own is shown by its name. */
export function parameterName(name: string, language: Language): string {
  const known = names.get(language) ?? new Map<string, string>();
  names.set(language, known);
  const called = known.get(name) ?? lookUp(name, language);
  known.set(name, called);
  return called;
}

function lookUp(name: string, { t, has }: Language): string {
  const key = `parameter-${textKey(name)}`;
  return has(key) ? t(key) : cutText(name.replaceAll("_", " "), NAME_SHOWN);
}

/** What people call a value of a parameter. */
export function valueName(
  { name }: Pick<Control, "name">,
  value: string | number,
  { t, has, number }: Language,
): string {
  if (typeof value === "string") {
    const own = `value-${textKey(name)}-${textKey(value)}`;
    return has(own) ? t(own) : cutText(value, NAME_SHOWN);
  }
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

/** Of names and values, of which catalogues hold a few hundred. */
const keys = new Recent<string, string>(2000);

/** Fluent's keys hold letters, digits, dashes and underscores. */
function textKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = name.replaceAll(/[^A-Za-z0-9-]/g, "-");
  keys.set(name, key);
  return key;
}
