import { accessSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { FluentBundle, FluentNumber, FluentResource, type FluentVariable } from "@fluent/bundle";
import { readPublicTitle } from "../../contract/model.js";
import { rublesOf } from "../../contract/price.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import { createIntentReader, EXAMPLES, type Examples, type ReadIntent } from "./read-intent.js";

/** The number of cached sums. Most cards show the same few prices. */
const SUMS_REMEMBERED = 1000;

/** `atBot` follows commands: see `Texts.inGroup`. */
const PRIVATE_ARGUMENTS: TextArguments = { atBot: "" };

type TextArguments = Record<string, FluentVariable>;
/** Formats a text in one language. The caller escapes user text. */
export type Translate = (key: string, args?: TextArguments) => string;

export interface Language {
  code: string;
  ownName: string;
  t: Translate;
  has(key: string): boolean;
  /** Formats a sum of money, for example `1 234,50 ₽`. */
  money(kopecks: number): string;
  /** Formats a number, for example `0,65`. */
  number(value: number): string;
}

export class Texts {
  readonly languages: readonly Language[];
  readonly #byCode: ReadonlyMap<string, Language>;
  readonly #fallback: Language;
  readonly #inGroups = new Map<string, Language>();

  constructor(
    languages: readonly Language[],
    defaultCode: string,
    readonly readIntent: ReadIntent,
  ) {
    this.languages = languages;
    this.#byCode = new Map(languages.map((language) => [language.code, language]));
    const fallback = this.#byCode.get(defaultCode);
    if (!fallback) throw new Error(`no texts for the default language "${defaultCode}"`);
    this.#fallback = fallback;
  }

  /** Returns the language for a code such as `ru` or `en-GB`, or the default one. */
  in(code: string | undefined): Language {
    return this.#byCode.get(code?.split("-")[0]?.toLowerCase() ?? "") ?? this.#fallback;
  }

  /** Adds `@name` to every command: in a group a plain command reaches only the bot that wrote there last. */
  inGroup(code: string | undefined, botName: string): Language {
    const language = this.in(code);
    const key = `${language.code}@${botName}`;
    const known = this.#inGroups.get(key);
    if (known) return known;
    const atBot = `@${botName}`;
    const named: Language = { ...language, t: (text, args) => language.t(text, { atBot, ...args }) };
    this.#inGroups.set(key, named);
    return named;
  }

  has(code: string): boolean {
    return this.#byCode.has(code);
  }
}

/** Loads the texts. Throws an Error naming the file when one is missing or cannot be parsed. */
export function loadTexts(directory: string, defaultCode: string): Texts {
  const files = readdirSync(directory).filter((name) => name.endsWith(".ftl"));
  const languages = files.sort().map((name) => readLanguage(join(directory, name)));
  const examplesOf = (kind: Examples) => languages.map(({ code }) => join(directory, `${code}.${kind}.txt`));
  for (const file of EXAMPLES.flatMap(examplesOf)) accessSync(file);
  const readExamples = (kind: Examples) =>
    examplesOf(kind).flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
  return new Texts(languages, defaultCode, createIntentReader(languages, readExamples));
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
  const t: Translate = (key, args) => {
    const pattern = bundle.getMessage(key)?.value;
    if (!pattern) throw new Error(`no text "${key}" in ${code}`);
    return bundle.formatPattern(pattern, { ...PRIVATE_ARGUMENTS, ...args });
  };
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

/** Formats whole rubles without decimals, others with two. The sign follows the number in every language. */
function moneyFormat(code: string): (kopecks: number) => string {
  const whole = new Intl.NumberFormat(code, { maximumFractionDigits: 0 });
  const fractional = new Intl.NumberFormat(code, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const known = new BoundedMap<number, string>(SUMS_REMEMBERED);
  return (kopecks) => {
    const written = known.get(kopecks);
    if (written !== undefined) return written;
    const sum = `${(kopecks % 100 === 0 ? whole : fractional).format(rublesOf(kopecks))}\u00a0₽`;
    known.set(kopecks, sum);
    return sum;
  };
}

/** Returns the first text that there is. Empty where there is none. */
export function firstText({ t, has }: Language, keys: readonly string[], args?: TextArguments): string {
  const key = keys.find((one) => has(one));
  return key === undefined ? "" : t(key, args);
}

/** Returns the title of a model as the API gives it, with the mark of a preview in the reader's language. */
export function shownTitle(publicTitle: string, { t }: Language): string {
  const { title, isPreview } = readPublicTitle(publicTitle);
  return isPreview ? `${title} ${t("local-preview")}` : title;
}

/** Names a till in the reader's language, as `till-<name>` of the locales does. */
export function tillName(till: string, { t, has }: Language): string {
  const key = `till-${till}`;
  return has(key) ? t(key) : till;
}
