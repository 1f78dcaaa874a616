import { isIn } from "./find-words.js";
import { ASIDE, JOINTS, NOUNS_LIKE_ADJECTIVES, PREPOSITIONS } from "./head-words.js";
import {
  COLOURS,
  MOODS,
  NUMBERS,
  PEOPLE,
  PLACES,
  SEASONS,
  STYLES,
  SUBJECTS,
  TIMES,
  WEATHERS,
} from "./lexicon.js";

type Kind = "thing" | "setting" | "property" | "aside" | "joint" | "unknown";

const entryOf = (...lexicons: readonly Readonly<Record<string, string>>[]): string =>
  lexicons.flatMap((lexicon) => Object.values(lexicon)).join(" ");
const THINGS = entryOf(SUBJECTS, PEOPLE);
const SETTINGS = entryOf(PLACES, TIMES, WEATHERS, SEASONS);
const PROPERTIES = entryOf(MOODS, COLOURS, STYLES, NUMBERS);
const ADJECTIVE = /(?:[ыио]й|[ая]я|[ое]е|[ыи]е|[ое]го|[ое]му|[ыи]м|[ыи]х|[ую]ю|[ыи]ми|ская|ой|ей)$/u;
const NOUN = /(?:[еаяы]ние|[еаяы]ния|тие|ствие)$/u;
const VERB = /(?:ing|ed|[^s]s)$/u;
const ADVERBS = "alone together asleep awake outside inside outdoors up down";
/** The main thing comes early: what stands behind so many words is beside it. */
const WORDS_MAX = 60;

/**
 * Says whether the main thing of a prompt can be shown: the first noun in Russian, the last noun of the first
 * phrase in English. What is named beside it does not count.
 * @returns `none` when nothing in the prompt is a main thing
 */
export function headOf(prompt: string): "known" | "unknown" | "none" {
  const tokens = (prompt.match(/\p{L}+|[^\p{L}\s'’-]+/gu) ?? []).slice(0, WORDS_MAX);
  let state: "known" | "unknown" | "none" = "none";
  let isLiving = false;
  let isBehindPreposition = false;
  for (const [index, token] of tokens.entries()) {
    const word = token.toLowerCase();
    const kind = /\p{L}/u.test(word) ? kindOf(word) : "joint";
    const isLatin = /\p{Script=Latin}/u.test(word);
    if (kind === "joint") {
      if (state !== "none") return state;
      const isArticle = word === "a" || word === "an" || word === "the";
      if (index === 0 && isIn(word, PREPOSITIONS)) isBehindPreposition = true;
      else if (!isArticle || index > 1) isBehindPreposition = false;
      continue;
    }
    // Behind the main thing, Russian tells what it does or whose it is.
    if (!isLatin && state === "known") return "known";
    if (kind === "aside") {
      if (isLatin && state === "known" && isLiving) return "known";
      continue;
    }
    if (kind === "property") continue;
    if (isBehindPreposition) {
      if (!isAdjective(word)) isBehindPreposition = false;
      continue;
    }
    if (kind === "unknown" && isLatin) {
      if (state === "known" && isLiving && (VERB.test(word) || isIn(word, ADVERBS))) return "known";
      state = "unknown";
      continue;
    }
    if (kind !== "thing" && isAdjective(word)) continue;
    state = kind === "unknown" ? "unknown" : "known";
    isLiving = kind === "thing";
    if (!isLatin) return state;
  }
  return state;
}

function kindOf(word: string): Kind {
  if (isIn(word, JOINTS)) return "joint";
  // A letter alone is a part of "dog's" or of "4k".
  if (word.length === 1 || isIn(word, ASIDE)) return "aside";
  if (isIn(word, THINGS)) return "thing";
  if (isIn(word, SETTINGS)) return "setting";
  return isIn(word, PROPERTIES) ? "property" : "unknown";
}

function isAdjective(word: string): boolean {
  return (
    /\p{Script=Cyrillic}/u.test(word) &&
    ADJECTIVE.test(word) &&
    !NOUN.test(word) &&
    !isIn(word, NOUNS_LIKE_ADJECTIVES)
  );
}
