import type { ParameterValue } from "../../contract/model.js";
import type { Field } from "../form/fields.js";
import { picturesIn } from "../form/picture-fields.js";
import { cutText } from "../html.js";
import type { Language } from "../texts.js";

const NAME_SHOWN = 40;
const NOTHING = "—";

/** The parameter's name in this language, or its technical name. */
export function parameterName(name: string, language: Language): string {
  const { t, has } = language;
  const key = `parameter-${textKey(name)}`;
  return has(key) ? t(key) : cutText(name.replaceAll("_", " "), NAME_SHOWN);
}

export function valueName({ name }: Pick<Field, "name">, value: string | number, language: Language): string {
  if (typeof value === "number") return amountName(name, value, language);
  const { t, has } = language;
  const key = `value-${textKey(name)}-${textKey(value)}`;
  return has(key) ? t(key) : cutText(value, NAME_SHOWN);
}

function amountName(name: string, value: number, { t, has, number }: Language): string {
  const withUnit = `amount-${textKey(name)}`;
  return has(withUnit) ? t(withUnit, { value: number(value) }) : number(value);
}

/** @param textShown maximum length of a text, in UTF-16 units */
export function settingName(
  field: Field,
  value: ParameterValue | undefined,
  language: Language,
  textShown: number,
): string {
  const { t } = language;
  if (field.kind === "toggle") return t(value === true ? "value-yes" : "value-no");
  if (value === undefined) return NOTHING;
  if (field.kind === "pictures") {
    const count = picturesIn({ [field.name]: value }, field.name).length;
    return field.isList ? `${count}/${field.max}` : "🖼";
  }
  if (field.kind === "text") return cutText(String(value).replace(/\s+/g, " "), textShown);
  return typeof value === "boolean" || typeof value === "object"
    ? NOTHING
    : valueName(field, value, language);
}

/** A Fluent identifier holds letters, digits, dashes and underscores. */
function textKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, "-");
}
