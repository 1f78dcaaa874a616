import { en } from "./en.js";
import { ru } from "./ru.js";
import type { Counted, Words } from "./types.js";

export type { Words } from "./types.js";

const LANGUAGES: Readonly<Record<string, Words>> = { en, ru };

/** The words in a person's language; English where the page does not know it. */
export function wordsIn(languageCode: string | undefined): Words {
  return LANGUAGES[languageCode?.split("-", 1)[0] ?? "en"] ?? en;
}

/** What belongs to no person speaks the language of the browser. */
export const pageWords = wordsIn(navigator.language);

/** A number with its noun. */
export function counted(count: number, forms: Counted, { locale }: Words): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return form.replace("#", String(count));
}
