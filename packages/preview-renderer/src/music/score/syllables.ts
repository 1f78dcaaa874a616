/** What the mouth does before or after a vowel. */
export type Consonant = "hiss" | "hush" | "breath" | "stop" | "nasal" | "liquid";
export type Vowel = "a" | "e" | "i" | "o" | "u" | "y" | "schwa";

/** What is sung on one note. */
export interface Syllable {
  onset: Consonant | undefined;
  vowel: Vowel;
  coda: Consonant | undefined;
  /** True for the last syllable of a word. */
  endsWord: boolean;
}

const VOWELS: Readonly<Record<string, Vowel>> = {
  ...{
    а: "a",
    я: "a",
    е: "e",
    э: "e",
    ё: "o",
    о: "o",
    и: "i",
    ы: "y",
    у: "u",
    ю: "u",
    і: "i",
    ї: "i",
    є: "e",
  },
  ...{ a: "a", e: "e", i: "i", o: "o", u: "u", y: "i" },
};

const CONSONANTS: readonly [Consonant, string][] = [
  ["hiss", "сзцszxc"],
  ["hush", "шщжчj"],
  ["breath", "фвхfvh"],
  ["stop", "птбкдгґptbkdgq"],
  ["nasal", "мнmn"],
  ["liquid", "лрйlrwы"],
];

/** English spellings of one vowel. */
const PAIRS: Readonly<Record<string, Vowel>> = {
  ...{ ee: "i", ea: "i", ie: "i", ey: "i", oo: "u", ou: "a", ow: "o", ai: "e", ay: "e", ei: "e" },
  ...{ au: "o", aw: "o", oa: "o", oi: "o", oy: "o", ue: "u", ew: "u", eu: "u", ui: "u", uy: "a" },
};

/** Digraphs, and the letter that stands for their sound. */
const DIGRAPHS: readonly [RegExp, string][] = [
  [/sh|ch/g, "ш"],
  [/th|ph|gh/g, "f"],
  [/[ъь'’]/g, ""],
];

/** The syllables of a line of song in Russian or English; a word of another script is one for two letters. */
export function syllablesOf(line: string): Syllable[] {
  const words = line
    .toLowerCase()
    .normalize("NFC")
    .match(/[\p{L}\p{M}\p{N}'’]+/gu);
  return (words ?? []).flatMap(syllablesOfWord);
}

function syllablesOfWord(word: string): Syllable[] {
  const letters = plainLetters(word);
  const found: Syllable[] = [];
  let pending: string[] = [];
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    const next = letters[index + 1] ?? "";
    const pair = /[a-z]/.test(letter) ? PAIRS[letter + next] : undefined;
    const vowel = pair ?? vowelAt(letters, index);
    if (!vowel) {
      pending.push(letter);
      continue;
    }
    if (pair) index++;
    // Of the consonants between two vowels the last opens the second syllable.
    const before = found.at(-1);
    if (before && pending.length > 1) before.coda = consonantOf(pending[0] ?? "");
    found.push({ onset: consonantOf(pending.at(-1) ?? ""), vowel, coda: undefined, endsWord: false });
    pending = [];
  }
  if (found.length === 0) return strangeWord(letters);
  const last = found.at(-1);
  if (last) {
    last.coda = consonantOf(pending[0] ?? "");
    last.endsWord = true;
  }
  return found;
}

/** Lower-case letters without accents and soft signs, digraphs as one letter. */
function plainLetters(word: string): string[] {
  const plain = word
    .replaceAll("ё", "о")
    .replaceAll("й", "j")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replaceAll("j", /[а-я]/.test(word) ? "л" : "j");
  return [...DIGRAPHS.reduce((text, [pattern, letter]) => text.replace(pattern, letter), plain)];
}

function vowelAt(letters: readonly string[], index: number): Vowel | undefined {
  const letter = letters[index] ?? "";
  const vowel = VOWELS[letter];
  if (!vowel) return undefined;
  const isLatin = /[a-z]/.test(letter);
  const hasOther = letters.slice(0, index).some((other) => VOWELS[other]);
  // A final English e is silent, and a y before a vowel is a consonant.
  if (isLatin && letter === "e" && index === letters.length - 1 && hasOther) return undefined;
  if (letter === "y" && index === 0 && VOWELS[letters[1] ?? ""]) return undefined;
  if (isLatin && letter === "e" && hasOther && index >= letters.length - 2) return "schwa";
  return vowel;
}

function consonantOf(letter: string): Consonant | undefined {
  return CONSONANTS.find(([, letters]) => letter !== "" && letters.includes(letter))?.[0];
}

const STRANGE_VOWELS: readonly Vowel[] = ["a", "i", "u", "e", "o"];

/** A word without a known vowel: its signs choose vowels, so that it can be sung all the same. */
function strangeWord(letters: readonly string[]): Syllable[] {
  const isKnown = letters.some((letter) => consonantOf(letter));
  const signs = isKnown ? letters.slice(0, 1) : letters.filter((_, index) => index % 2 === 0);
  return signs.map((sign, index) => ({
    onset: consonantOf(sign) ?? "nasal",
    vowel: isKnown ? "schwa" : (STRANGE_VOWELS[(sign.codePointAt(0) ?? 0) % STRANGE_VOWELS.length] ?? "a"),
    coda: undefined,
    endsWord: index === signs.length - 1,
  }));
}
