import type { Model } from "../../contract/model.js";
import { escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { numberWords } from "./card-parameter.js";
import { controlNamed } from "./form.js";
import type { Need } from "./needs.js";
import { parameterName } from "./parameter-names.js";
import type { Refusal } from "./take-message.js";

/** What a draft lacks, and what to do about it, as HTML. */
export function needText(need: Need, model: Model, language: Language, isGroup: boolean): string {
  const { t } = language;
  switch (need.kind) {
    case "text":
      return isGroup
        ? t("need-text-group", { name: shownName(need.name, language) })
        : ownWords("need", need.name, model, language);
    case "too_short":
      return t("need-longer", { name: shownName(need.name, language), min: need.min });
    case "too_long":
      return t("need-shorter", { name: shownName(need.name, language), max: need.max });
    case "one_of": {
      const shown = need.names.map((name) => `<b>${shownName(name, language)}</b>`);
      const names = new Intl.ListFormat(language.code, { type: "disjunction" }).format(shown);
      const isPicture = need.names.some((name) => controlNamed(model, name)?.kind === "pictures");
      return t(isPicture ? "need-pictures" : "need-setting", { names });
    }
  }
}

/** The question for the main text of a model, without how to answer it. */
export function questionFor(name: string, model: Model, language: Language): string {
  return ownWords("ask", name, model, language);
}

/** Why a message changed nothing, and what to send instead, as plain text. */
export function refusalText(refusal: Refusal, language: Language): string {
  const { t } = language;
  switch (refusal.kind) {
    case "empty":
      return t("prompt-empty");
    case "too_long":
      return t("prompt-too-long", { name: parameterName(refusal.name, language), max: refusal.max });
    case "too_short":
      return t("prompt-too-short", { name: parameterName(refusal.name, language), min: refusal.min });
    case "no_number":
      return numberWords(refusal.control, language);
    case "no_link":
      return t("link-wanted", { name: parameterName(refusal.name, language) });
    case "insecure_link":
      return t("link-insecure");
    case "malformed_link":
      return t("link-malformed");
    case "no_pictures":
      return t("pictures-not-taken");
    case "full":
      return t("pictures-full", { max: refusal.max });
  }
}

/** Words for this text of this kind of model, else for this text, else for any. */
function ownWords(what: "need" | "ask", name: string, { type }: Model, language: Language): string {
  const { t, has } = language;
  for (const key of [`${what}-${name}-${type}`, `${what}-${name}`]) if (has(key)) return t(key);
  return t(`${what}-text`, { name: shownName(name, language) });
}

function shownName(name: string, language: Language): string {
  return escapeHtml(parameterName(name, language));
}
