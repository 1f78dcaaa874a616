import { found, wordsOf } from "../find-words.js";
import { STYLES } from "../lexicon.js";
import { quotedIn } from "../quotes.js";
import { canSet, settable } from "../type/fonts.js";
import type { Style } from "../words.js";
import { FILLERS, STEPS, TEXT_WORDS } from "./lexicon.js";

export type EditStep = keyof typeof STEPS;

/** What a prompt asks to do with a picture that is given. */
export interface Edit {
  /** What is really done, in the order of the prompt. */
  steps: readonly EditStep[];
  style: Style | undefined;
  /** Words to be set in type on the picture. */
  texts: readonly string[];
  /** True when the texts stand at the lower edge. */
  isTextBelow: boolean;
  /** What is asked and not done, in the user's words; empty when all is done. */
  undone: string;
}

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/ч(?:е|ё)рно[\s-]*бел\p{L}*|(?<!\p{L})ч\s*[/\\]\s*б(?!\p{L})/giu, "чб"],
  [/\bblack[\s-]*(?:and|&|n)[\s-]*white\b|\bb\s*&\s*w\b/giu, "grayscale"],
  [/(?<!\p{L})(?:day(?:light)? (?:in)?to night|из дня ночь|день в ночь)(?!\p{L})/giu, "night"],
  [
    /(?<!\p{L})(?:увелич\p{L}*|добав\p{L}*|повы[сш]\p{L}*) яркост\p{L}*|(?:increase|raise|add|more) (?:the )?brightness/giu,
    "ярче",
  ],
  [
    /(?<!\p{L})(?:уменьш\p{L}*|убав\p{L}*|пони[зж]\p{L}*) яркост\p{L}*|(?:decrease|reduce|lower|less) (?:the )?brightness/giu,
    "темнее",
  ],
];
const CLAUSE_END = /[,;.!?\n]+|(?<!\p{L})(?:и|а|and|then|потом|затем)(?!\p{L})/giu;
/** A text that takes the place of another one, or goes, is more than a text on the picture. */
const REPLACES =
  /(?<!\p{L})(?:замен|убер|удал|стер|сотр|исправ|replace|remove|delete|erase|change|swap|fix)/iu;
const SETS_TEXT =
  /(?<!\p{L})(?:надпис|текст|напи[шс]|подпи|фраз|слов|добав|text|caption|writ|word|letter|titl|sa(?:ys|ying)|add|put)/iu;
const BELOW = /(?<!\p{L})(?:внизу|снизу|bottom|below)(?!\p{L})/iu;

/**
 * Reads an edit clause by clause in Russian and English. A clause is done when each of its words is understood;
 * every other one is left undone as a whole, since half of it would be another edit.
 */
export function editOf(prompt: string): Edit {
  const { texts: quoted, rest } = quotedIn(prompt);
  const isTextAlone = quoted.length > 0 && rest === prompt;
  const setsText = quoted.length > 0 && (isTextAlone || (SETS_TEXT.test(rest) && !REPLACES.test(rest)));
  const texts = setsText ? quoted.filter(canSet).map(settable) : [];
  const said = PHRASES.reduce(
    (text, [phrase, word]) => text.replaceAll(phrase, word),
    isTextAlone ? "" : rest,
  );
  const steps = new Set<EditStep>();
  let style: Style | undefined;
  const undone: string[] = [];
  for (const clause of said.split(CLAUSE_END)) {
    const read = readClause(clause, quoted.length > 0);
    if (read.isWhole) {
      for (const step of read.steps) steps.add(step);
      style ??= read.style;
    } else undone.push(clause.replaceAll(/\s+/gu, " ").trim());
  }
  const isNothingDone = steps.size === 0 && style === undefined && texts.length === 0;
  return {
    steps: [...steps],
    style,
    texts,
    isTextBelow: BELOW.test(rest),
    undone: undone.length > 0 && isNothingDone ? prompt.replaceAll(/\s+/gu, " ").trim() : undone.join(", "),
  };
}

function readClause(clause: string, hasTexts: boolean) {
  const words = wordsOf(clause);
  // A word that a negation takes away would turn the clause into its opposite.
  const isNegated = words.length !== (clause.match(/\p{L}+/gu)?.length ?? 0);
  const steps: EditStep[] = [];
  let style: Style | undefined;
  let isWhole = !isNegated;
  for (const word of words) {
    const [step] = found([word], STEPS);
    const [named] = found([word], STYLES);
    if (step) steps.push(step);
    else if (named) style ??= named;
    else if (found([word], { filler: FILLERS, text: hasTexts ? TEXT_WORDS : "" }).length === 0)
      isWhole = false;
  }
  return { steps, style, isWhole };
}
