import type { GenerationType } from "../../contract/model.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { MessageRefusal } from "./form/apply-message.js";
import type { FormState } from "./form/evaluate-form.js";
import { fieldNamed, type Parameters } from "./form/fields.js";
import type { Missing } from "./form/missing-fields.js";
import { onlyResultIn, picturesUsed } from "./form/picture-fields.js";
import { parameterName, textKey, valueName } from "./parameter-names.js";
import { numberWords } from "./parameter-page.js";
import { shortLink } from "./short-link.js";

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
      return isGroup
        ? t("need-text-group", { name: shownName(missing.name, language) })
        : ownWords(
            "need",
            missing.name,
            subjectOf(model.type, picturesUsed(fields, values), values),
            language,
          );
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

/** What a text is for. With photos an image is a change of them. */
interface Subject {
  type: GenerationType;
  photos: number;
  /** True when the only photo is a picture that the bot has made. */
  isOfResult: boolean;
}

export function subjectOf(type: GenerationType, photos: number, parameters: Parameters): Subject {
  return { type, photos, isOfResult: photos === 1 && onlyResultIn(parameters) !== undefined };
}

/** Returns the question for the main text, without instructions how to answer. */
export function questionFor(name: string, subject: Subject, language: Language): string {
  return ownWords("ask", name, subject, language);
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

/** Returns the most specific text: for this name, type and photos, then for less, then the general one. */
function ownWords(
  what: "need" | "ask",
  name: string,
  { type, photos, isOfResult }: Subject,
  language: Language,
): string {
  const { t, has } = language;
  const ofType = `${what}-${name}-${type}`;
  const ofPhotos = [...(isOfResult ? [`${ofType}-result`] : []), ...(photos > 0 ? [`${ofType}-photos`] : [])];
  const keys = [...ofPhotos, ofType, `${what}-${name}`];
  for (const key of keys) if (has(key)) return t(key, { count: photos });
  return t(`${what}-text`, { name: shownName(name, language) });
}

function shownName(name: string, language: Language): string {
  return escapeHtml(parameterName(name, language));
}
