import { isCyrillic, readings } from "./look-alikes.js";

/** Marks above and below letters, and what is not seen: format characters and the fillers of Hangul. */
const UNSEEN = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/gu;
const SEPARATORS = /[^\p{L}\p{N}@$!|]+/u;
const OUTER_SIGNS = /^[@$!|]+|[@$!|]+$/g;
/** Single letters in a row are read as one word from this many on. */
const SPELLED_MIN = 4;

/** A word in each reading. */
export type Word = readonly string[];

export interface NormalisedText {
  /** The text without case, marks, unseen characters and repeated spaces. */
  plain: string;
  /** Every word, in the order of the text. */
  words: readonly Word[];
  /** Words that signs or spaces tear apart. */
  glued: readonly Word[];
  /** Letters that stand alone, one after another: a word may begin at any of them. */
  spelled: readonly Word[];
}

/** Folds what readers take for the same: case, width, marks (ё is е), unseen characters, runs of spaces. */
export function plainText(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKD").replace(UNSEEN, "");
  return folded.normalize("NFC").replace(/\s+/gu, " ").trim();
}

/** Splits plain text into words. */
export function partsOf(plain: string): string[] {
  return plain
    .split(SEPARATORS)
    .map((part) => part.replace(OUTER_SIGNS, ""))
    .filter((part) => part !== "");
}

export function normalise(text: string): NormalisedText {
  const plain = plainText(text);
  const isTextCyrillic = isCyrillic(plain);
  const read = (word: string): Word => readings(unstretched(word), isTextCyrillic);
  const chunks = plain.split(" ").map(partsOf);
  const parts = chunks.flat();
  return {
    plain,
    words: parts.map(read),
    glued: chunks.filter((chunk) => chunk.length > 1).map((chunk) => read(chunk.join(""))),
    spelled: spelledOf(parts).map(read),
  };
}

/** Reads letters that are repeated three times and more as one. */
function unstretched(word: string): string {
  return word.replace(/(\p{L})\1{2,}/gu, "$1");
}

function spelledOf(parts: readonly string[]): string[] {
  const spelled: string[] = [];
  let run = "";
  for (const part of [...parts, "--"]) {
    if ([...part].length === 1) run += part;
    else {
      if (run.length >= SPELLED_MIN) spelled.push(run);
      run = "";
    }
  }
  return spelled;
}
