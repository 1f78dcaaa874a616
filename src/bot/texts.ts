import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FluentBundle, FluentNumber, FluentResource, type FluentVariable } from "@fluent/bundle";
import { type Kopecks, rublesOf } from "../platform/money.js";
import { Recent } from "../platform/recent.js";

/** How many sums of money are kept as they are written: the same few prices stand on most cards. */
const SUMS_REMEMBERED = 1000;

export type TextArguments = Record<string, FluentVariable>;
/** Looks a text up in one language and fills it in. User text must be escaped by the caller. */
export type Translate = (key: string, args?: TextArguments) => string;

/** The words of one language. */
export interface Language {
  code: string;
  /** The name of the language in the language itself. */
  ownName: string;
  t: Translate;
  has(key: string): boolean;
  /** A sum of money as people of this language write it, for example `1 234,50 ₽`. */
  money(kopecks: Kopecks): string;
  /** A number as people of this language write it, for example `0,65`. */
  number(value: number): string;
}

/** All languages, read from `locales/*.ftl`: adding a language is adding a file. */
export class Texts {
  readonly languages: readonly Language[];
  readonly #byCode: ReadonlyMap<string, Language>;
  readonly #fallback: Language;

  constructor(languages: readonly Language[], defaultCode: string) {
    this.languages = languages;
    this.#byCode = new Map(languages.map((language) => [language.code, language]));
    const fallback = this.#byCode.get(defaultCode);
    if (!fallback) throw new Error(`no texts for the default language "${defaultCode}"`);
    this.#fallback = fallback;
  }

  /** The language for a code such as `ru` or `en-GB`; the default one when there is no such language. */
  in(code: string | undefined): Language {
    return this.#byCode.get(code?.split("-")[0]?.toLowerCase() ?? "") ?? this.#fallback;
  }

  has(code: string): boolean {
    return this.#byCode.has(code);
  }
}

/**
 * Reads every `*.ftl` of a folder.
 * @throws Error naming the file when a text cannot be parsed
 */
export function loadTexts(directory: string, defaultCode: string): Texts {
  const files = readdirSync(directory).filter((name) => name.endsWith(".ftl"));
  const languages = files.sort().map((name) => readLanguage(join(directory, name)));
  return new Texts(languages, defaultCode);
}

function readLanguage(file: string): Language {
  const code = basename(file, ".ftl");
  const money = moneyFormat(code);
  const bundle = new FluentBundle(code, {
    useIsolating: false,
    functions: {
      MONEY: ([kopecks]) => money(kopecks instanceof FluentNumber ? kopecks.value : Number(kopecks)),
    },
  });
  const [problem] = bundle.addResource(new FluentResource(readFileSync(file, "utf8")));
  if (problem) throw new Error(`${file}: ${problem.message}`);
  const t = translator(bundle);
  const fractions = new Intl.NumberFormat(code, { maximumFractionDigits: 2, useGrouping: false });
  return {
    code,
    ownName: t("language-own-name"),
    t,
    has: (key) => bundle.hasMessage(key),
    money,
    number: (value) => (Number.isInteger(value) ? String(value) : fractions.format(value)),
  };
}

function translator(bundle: FluentBundle): Translate {
  return (key, args) => {
    const pattern = bundle.getMessage(key)?.value;
    if (!pattern) throw new Error(`no text "${key}" in ${bundle.locales.join()}`);
    return bundle.formatPattern(pattern, args);
  };
}

/** Whole rubles without decimals, others with two; the sign stands behind the number in every language. */
function moneyFormat(code: string): (kopecks: Kopecks) => string {
  const whole = new Intl.NumberFormat(code, { maximumFractionDigits: 0 });
  const fractional = new Intl.NumberFormat(code, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const known = new Recent<Kopecks, string>(SUMS_REMEMBERED);
  return (kopecks) => {
    const written = known.get(kopecks);
    if (written !== undefined) return written;
    const sum = `${(kopecks % 100 === 0 ? whole : fractional).format(rublesOf(kopecks))} ₽`;
    known.set(kopecks, sum);
    return sum;
  };
}
