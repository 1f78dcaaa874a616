import { type GenerationType, type Model, versionTitle } from "../../contract/model.js";
import { cutText, escapeHtml } from "../texts/html.js";
import { firstText, type Language } from "../texts/texts.js";
import { type Draft, modelOf } from "./draft-store.js";
import type { MessageRefusal } from "./form/apply-message.js";
import type { FormState, LeftOut, Notice } from "./form/evaluate-form.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  type Missing,
  type NumberField,
  type Parameters,
} from "./form/fields.js";
import { onlyResultIn, picturesUsed } from "./form/picture-fields.js";
import { parameterName, shortLink, textKey, valueName } from "./parameter-names.js";

/** Tells what to send for a parameter. Undefined when it has buttons only. */
export function wordsFor(field: FormField, language: Language): string | undefined {
  const { t } = language;
  switch (field.kind) {
    case "text":
      return field.max === undefined ? t("page-text") : t("page-text-max", { max: field.max });
    case "number":
      return numberWords(field, language);
    case "pictures":
      return field.isList ? t("page-pictures", { max: field.max }) : t("page-picture");
    default:
      return undefined;
  }
}

function numberWords(field: NumberField, language: Language): string {
  const { isInteger, isDuration, min, max } = field;
  const { t } = language;
  const kind = isDuration ? "length" : isInteger ? "whole" : "any";
  if (min === undefined || max === undefined) return t(`page-number-${kind}`);
  const [least, most] = [min, max].map((bound) => valueName({ ...field, choices: [] }, bound, language));
  return t(`page-number-${kind}-between`, { min: least ?? "", max: most ?? "" });
}

const TEXT_SHOWN = 30;

/** Tells in one line of plain text what is left out. Undefined when nothing is. */
export function leftOutText({ settings, pictures }: LeftOut, language: Language): string | undefined {
  const { t } = language;
  const named = settings.map(({ name, value }) => {
    const label = parameterName(name, language);
    if (typeof value !== "string" && typeof value !== "number") return label;
    return `${label}: ${cutText(valueName({ name }, value, language), TEXT_SHOWN)}`;
  });
  const what = [...named, ...(pictures > 0 ? [t("left-out-pictures", { count: pictures })] : [])];
  return what.length === 0 ? undefined : t("left-out", { what: what.join(", ") });
}

export const MODELS_NAMED = 3;

/** Returns HTML. */
export function noticeText(notice: Notice, models: readonly Model[], language: Language): string {
  const { t } = language;
  switch (notice.kind) {
    case "pictures_idle":
      return firstText(language, [`pictures-idle-${models[0]?.type}`, "pictures-idle"]);
    case "pictures_cut": {
      const { max, given } = notice;
      const taken = t("pictures-cut", { max, count: given });
      const names = roomierModels(models, max, given);
      return names.length === 0 ? taken : `${taken} ${t("pictures-cut-more", { names: names.join(", ") })}`;
    }
    case "picture_next":
      return firstText(language, [`picture-next-${textKey(notice.name)}`]);
    case "links_added": {
      const [link = ""] = notice.links;
      return t("links-added", { count: notice.links.length, link: escapeHtml(shortLink(link)) });
    }
    case "text_unused":
      return firstText(language, [`unused-${textKey(notice.name)}`]);
    case "voice_unused":
      return t("unused-voice");
  }
}

/** Names the models that take all pictures, or else those that take the most, as HTML. */
function roomierModels(models: readonly Model[], max: number, given: number): string[] {
  const lists = models.flatMap((model) => {
    const room = Math.max(0, ...fieldsOf(model).pictures.map((field) => field.max));
    return room > max ? [{ title: versionTitle(model, {}), room }] : [];
  });
  const able = lists.filter(({ room }) => room >= given);
  const best = able.length > 0 ? able : lists.toSorted((one, other) => other.room - one.room);
  return best.slice(0, MODELS_NAMED).map(({ title, room }) => `${escapeHtml(title)} (${room})`);
}

/** Tells what a draft lacks and how to add it, as HTML. */
export function missingText(
  missing: Missing,
  { model, fields, values }: Pick<FormState, "model" | "fields" | "values">,
  language: Language,
  isGroup: boolean,
): string {
  const { t } = language;
  switch (missing.kind) {
    case "text":
      if (isGroup) return t("need-text-group", { name: shownName(missing.name, language) });
      return textWords("need", missing.name, model.type, values, picturesUsed(fields, values), language);
    case "too_short":
      return t("need-longer", { name: shownName(missing.name, language), min: missing.min });
    case "too_long":
      return t("need-shorter", { name: shownName(missing.name, language), max: missing.max });
    case "one_of": {
      const own = `need-${missing.names.map(textKey).join("-or-")}`;
      if (language.has(own)) return t(own);
      const shown = missing.names.map((name) => `<b>${shownName(name, language)}</b>`);
      const names = new Intl.ListFormat(language.code, { type: "disjunction" }).format(shown);
      const isPicture = missing.names.some((name) => fieldNamed(fields, name)?.kind === "pictures");
      return t(isPicture ? "need-pictures" : "need-setting", { names });
    }
  }
}

/** Asks for the main text, without instructions how to answer. With photos an image is a change of them. */
export function textWords(
  what: "need" | "ask",
  name: string,
  type: GenerationType,
  parameters: Parameters,
  photos: number,
  language: Language,
): string {
  const ofType = `${what}-${name}-${type}`;
  const isOfResult = photos === 1 && onlyResultIn(parameters) !== undefined;
  const ofPhotos = [...(isOfResult ? [`${ofType}-result`] : []), ...(photos > 0 ? [`${ofType}-photos`] : [])];
  const keys = [...ofPhotos, ofType, `${what}-${name}`, `${what}-text`];
  return firstText(language, keys, { count: photos, name: shownName(name, language) });
}

/** Tells why a message changed nothing, as plain text. */
export function refusalText(refusal: MessageRefusal, language: Language): string {
  const { t } = language;
  switch (refusal.kind) {
    case "empty":
      return t("prompt-empty");
    case "too_long":
      return t("prompt-too-long", { name: parameterName(refusal.name, language), max: refusal.max });
    case "too_short":
      return t("prompt-too-short", { name: parameterName(refusal.name, language), min: refusal.min });
    case "no_number":
      return numberWords(refusal.field, language);
    case "not_whole":
      return `${t("number-not-whole")} ${numberWords(refusal.field, language)}`;
    case "too_small":
    case "too_large": {
      const value = valueName(refusal.field, refusal.value, language);
      const key = refusal.kind === "too_small" ? "number-too-small" : "number-too-large";
      return `${t(key, { value })} ${numberWords(refusal.field, language)}`;
    }
    case "no_link":
      return t("link-wanted", { name: parameterName(refusal.name, language) });
    case "no_choice":
      return t("choose-by-tap");
    case "insecure_link":
      return t("link-insecure");
    case "malformed_link":
      return t("link-malformed");
    case "kind_off":
      return t("kind-off", { type: refusal.type });
    case "full":
      return t("pictures-full", { max: refusal.max });
    case "content":
      return t("refused-content_refused");
  }
}

/** Tells that a link leads to no picture, as plain text. */
export function wrongLinkText(link: string, { t }: Language): string {
  return t("link-not-picture", { link: shortLink(link) });
}

function shownName(name: string, language: Language): string {
  return escapeHtml(parameterName(name, language));
}

/** Tells why a draft cannot be ordered: its model is gone, or nothing of its type is made. Undefined otherwise. */
export function modelOffText(draft: Draft, models: readonly Model[], { t }: Language): string | undefined {
  if (models.length === 0) return t("kind-off", { type: draft.type });
  return draft.modelKey === null || modelOf(draft, models) ? undefined : t("model-off");
}
