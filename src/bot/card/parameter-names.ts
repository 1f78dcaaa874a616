import type { Model, ParameterValue } from "../../contract/model.js";
import { cutMiddle, cutText, escapeHtml } from "../texts/html.js";
import { firstText, type Language } from "../texts/texts.js";
import { offeredModels } from "./form/change-model.js";
import { DURATION, type FormField, type ModelFields, type Parameters } from "./form/fields.js";
import { picturesIn } from "./form/picture-fields.js";
import { plain, typedValue } from "./form/typed-value.js";

const LINK_SHOWN = 60;
const LINK_END_SHOWN = 20;

/** Shortens a link in its middle: its end often identifies it better. */
export function shortLink(link: string): string {
  return cutMiddle(link, LINK_SHOWN, LINK_END_SHOWN);
}

const NAME_SHOWN = 40;
const NOTHING = "—";

/** Returns the parameter's name in this language, or its technical name. */
export function parameterName(name: string, language: Language): string {
  const { t, has } = language;
  const key = `parameter-${textKey(name)}`;
  return has(key) ? t(key) : cutText(name.replaceAll("_", " "), NAME_SHOWN);
}

/** Returns the value in words, with its unit. A parameter of another model has only a name. */
export function valueName(
  field: FormField | { name: string },
  value: string | number | boolean,
  language: Language,
): string {
  const { t, has } = language;
  const word = typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
  const key = `value-${textKey(field.name)}-${textKey(word)}`;
  if (typeof value === "number") return amountName(field, value, language);
  if (has(key)) return t(key);
  return typeof value === "boolean" ? t(`value-${word}`) : cutText(value, NAME_SHOWN);
}

/** Returns the question that a parameter's page asks, as HTML. */
export function parameterQuestion(name: string, language: Language): string {
  const args = { name: escapeHtml(parameterName(name, language)) };
  return firstText(language, [`choose-${textKey(name)}`, "choose-value"], args);
}

const LEVELS = ["level-low", "level-medium", "level-high"] as const;

function amountName(field: FormField | { name: string }, value: number, language: Language): string {
  const { t, has, number } = language;
  const isLevel = "kind" in field && field.kind === "number" && field.isLevel;
  const level = isLevel ? LEVELS[field.choices.indexOf(value)] : undefined;
  if (level) return t(level);
  if (field.name === DURATION) return lengthName(value, language);
  const withUnit = `amount-${textKey(field.name)}`;
  return has(withUnit) ? t(withUnit, { value: number(value) }) : number(value);
}

/** Names a length: `30 s`, from a minute on `2 min` or `2:30`. */
function lengthName(seconds: number, { t, number }: Language): string {
  if (seconds < 60) return t("amount-duration-sec", { value: number(seconds) });
  const minutes = Math.floor(seconds / 60);
  const rest = seconds - minutes * 60;
  if (rest === 0) return t("amount-duration-min", { value: number(minutes) });
  return `${minutes}:${String(Math.floor(rest)).padStart(2, "0")}`;
}

/** Returns the value of a setting in words. `textShown`: maximum length of a text, in UTF-16 units. */
export function settingName(
  field: FormField,
  value: ParameterValue | undefined,
  language: Language,
  textShown: number,
): string {
  if (field.kind === "toggle") return valueName(field, value === true, language);
  if (value === undefined) return NOTHING;
  if (field.kind === "pictures") {
    const count = picturesIn(value).length;
    return field.isList ? `${count}/${field.max}` : "🖼";
  }
  if (field.kind === "text") return cutText(String(value).replace(/\s+/g, " "), textShown);
  return typeof value === "boolean" || typeof value === "object"
    ? NOTHING
    : valueName(field, value, language);
}

/** Joins name and value. A self-explanatory value, such as "From a photo", has no name. */
export function settingLabel(
  field: FormField,
  value: ParameterValue | undefined,
  language: Language,
  textShown: number,
): string {
  const word = field.kind === "toggle" ? (value === true ? "yes" : "no") : value;
  const own = `setting-${textKey(field.name)}-${textKey(String(word ?? "none"))}`;
  if (field.kind !== "text" && language.has(own)) return language.t(own);
  return `${parameterName(field.name, language)}: ${settingName(field, value, language, textShown)}`;
}

/** Makes a Fluent identifier, which holds letters, digits, dashes and underscores. */
export function textKey(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]/g, "-");
}

/** Finds the value that a text typed on the page of a parameter names, in the words of its buttons. */
export function typedSetting(field: FormField, text: string, language: Language): ParameterValue | undefined {
  return typedValue(field, text, (value) => [
    valueName(field, value, language),
    ...spokenNames(field, value, language),
    ...(typeof value === "boolean" ? [language.t(value ? "value-yes" : "value-no")] : []),
  ]);
}

/** Returns what people call a value beside its label: “vertical” for 9:16. */
function spokenNames({ name }: FormField, value: string | number | boolean, language: Language) {
  const keys = [`named-${textKey(name)}-${textKey(String(value))}`, `named-${textKey(name)}`];
  return firstText(language, keys, { value: Number(value) }).split(", ");
}

/**
 * Finds the settings that a text consists of, in any language: “16:9, 4K, 2 pictures”. Empty where it says anything else.
 * @param mayDescribe true where it may be the description itself, as «авто» may; a song needs more than a word
 */
export function saidSettings(
  { all, mode }: ModelFields,
  text: string,
  languages: readonly Language[],
  mayDescribe: boolean,
): Parameters {
  const found: Record<string, ParameterValue> = {};
  const small = languages.flatMap(({ t }) => t("named-beside").split(", ")).map(plain);
  const isNamed = ({ name, kind }: FormField) =>
    name !== mode?.name && (kind !== "number" || name === DURATION);
  const names = all.filter(isNamed).flatMap((field) =>
    field.choices.flatMap((value) => {
      const labels = languages.map((one) => (field.kind === "toggle" ? "" : valueName(field, value, one)));
      const spoken = languages.flatMap((one) => spokenNames(field, value, one));
      const own = [...labels, String(value)].filter((word) => !mayDescribe || /\d/.test(word));
      const words = [...own, ...spoken].map(plain);
      return words.map((said) => ({ said: ` ${said} `, name: field.name, value }));
    }),
  );
  let rest = ` ${plain(text.replace(/[,;?]/g, " "))} `;
  for (const { said, name, value } of names.sort((one, other) => other.said.length - one.said.length)) {
    if (!/[\p{L}:]/u.test(said) || !rest.includes(said)) continue;
    found[name] = value;
    rest = rest.replace(said, " ");
  }
  return rest.split(" ").every((word) => word === "" || small.includes(word)) ? found : {};
}

/** Finds a model by its name, which may leave out the version: “flux” is FLUX.2 Pro. */
export function typedModel(models: readonly Model[], text: string): Model | undefined {
  const typed = text.trim().toLowerCase();
  const isNamed = (title: string) =>
    title.startsWith(typed) && !/^[\p{L}\p{N}]/u.test(title.slice(typed.length));
  return offeredModels(models).find(({ title }) => isNamed(title.toLowerCase()));
}
