const LATIN_OF = pairs("һhӏlаaвbсcеeнhіiјjкkмmоoрpѕsтtуyхxԁdԛqԝwгrпnиuзzαaβbεeηnιiκkνvοoρpτtυuχxωwγyσoςc");
const CYRILLIC_OF = pairs(
  "aаbвcсeеhнkкmмoоpрtтxхyуuиnпrгzзiиdдlлsсfфgгvвαаβвεеηнιиκкμмνнοоπпρрσсτтυуφфχхγгλлδд",
);
const LATIN_SIGNS = pairs("0o1i3e4a5s6b7t8b9g@a$s!i|i");
const OTHER_LATIN_SIGNS = pairs("1l!l|l");
const CYRILLIC_SIGNS = pairs("0о3з4ч6б8в@а$с");

const CYRILLIC = /\p{Script=Cyrillic}/u;
const LATIN = /\p{Script=Latin}/u;
const GREEK = /\p{Script=Greek}/u;
const SIGN = /[\d@$!|]/;
const SIGNS = /[@$!|]/g;
/** Words of fewer letters are too often words of both alphabets. */
const WHOLE_WORD_MIN = 4;

/** Tells whether most letters of a text are Cyrillic; undefined where there are as many of each alphabet. */
function isCyrillic(text: string): boolean | undefined {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return cyrillic === latin ? undefined : cyrillic > latin;
}

/** Returns a word as it is, and as it may be meant: with letters of one alphabet for those that look alike. */
function readings(word: string, isTextCyrillic: boolean | undefined): string[] {
  const has = { cyrillic: CYRILLIC.test(word), latin: LATIN.test(word), greek: GREEK.test(word) };
  const isPure = Number(has.cyrillic) + Number(has.latin) + Number(has.greek) === 1 && !has.greek;
  const hasLetters = has.cyrillic || has.latin || has.greek;
  if (!hasLetters) return [word];
  if (!isPure || SIGN.test(word)) {
    const bare = word.replace(SIGNS, "");
    return [...new Set([word, ...disguises(word), ...(bare === word ? [] : disguises(bare)), bare])];
  }
  const isForeign = has.latin ? isTextCyrillic === true : isTextCyrillic === false;
  if (!isForeign || word.length < WHOLE_WORD_MIN) return [word];
  const other = translated(word, has.latin ? CYRILLIC_OF : LATIN_OF);
  const isWhole = [...other].every((letter) => (has.latin ? CYRILLIC : LATIN).test(letter));
  return isWhole ? [word, other] : [word];
}

function disguises(word: string): string[] {
  const latin = translated(word, LATIN_OF);
  return [
    translated(latin, LATIN_SIGNS),
    translated(translated(latin, OTHER_LATIN_SIGNS), LATIN_SIGNS),
    translated(translated(word, CYRILLIC_SIGNS), CYRILLIC_OF),
  ];
}

function translated(word: string, map: ReadonlyMap<string, string>): string {
  return [...word].map((letter) => map.get(letter) ?? letter).join("");
}

function pairs(text: string): ReadonlyMap<string, string> {
  const letters = [...text];
  return new Map(letters.flatMap((from, at) => (at % 2 === 0 ? [[from, letters[at + 1] ?? from]] : [])));
}

/** Marks above and below letters, and what is not seen: controls, format characters and the fillers of Hangul. */
const UNSEEN = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]|(?!\s)\p{C}/gu;
const SEPARATORS = /[^\p{L}\p{N}@$!|]+/u;
const OUTER_SIGNS = /^[@$!|]+|[@$!|]+$/g;
/** Single letters in a row are read as one word from this many on. */
const SPELLED_MIN = 3;
/** A character that stands for more stays as it is: the work on a text is bounded by the length that was sent. */
const EXPANSION_MAX = 4;
const BLOCK_LENGTH = 2000;
/** Letters of a word that are looked at: no rule is longer. */
const WORD_MAX = 500;
/** Many spelled letters are read in pieces, which share more letters than two words have. */
const SPELLED_STEP = 200;
const SPELLED_OVERLAP = 60;

/** Letters that Unicode does not take apart: small capitals, strokes, Cyrillic letters of other languages. */
const FOLDED = new Map(
  (
    "ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ɑa ɡg ıi ȷj " +
    "ⱥa ƀb ȼc đd ɖd ɗd ɇe ǥg ɠg ħh ɨi ɉj ꝁk łl ƚl ɫl ɱm ŋn ɲn øo ɵo ᵽp ɍr ɽr ꞩs ŧt ⱦt ʉu ꝟv ɏy ƶz ðd þp æae œoe ßss " +
    "ғг ґг ҙз қк ҟк ҡк ңн ӊн өо ҫс ҭт ұу ҳх ҷч ҹч єе ӕае"
  )
    .split(" ")
    .map((pair) => {
      const [from = "", ...to] = pair;
      return [from, to.join("")] as const;
    }),
);
/** The letter A of the alphabets of flags, and in a filled circle and a filled square. */
const ALPHABETS = [0x1f1e6, 0x1f150, 0x1f170];
const LETTERS = 26;

/** A way to read a word. */
export interface Reading {
  text: string;
  /** Set where letters that stand twice are read as one: whether nearly all of them stand twice. */
  singled?: "some" | "all";
}

/** A piece of a text that may be a word. Its places are those of the text's words, in their order. */
export interface Unit {
  from: number;
  to: number;
  /** Letters that stand alone, one after another: a word may begin and end at any of them. */
  isSpelled: boolean;
  readings: readonly Reading[];
}

interface NormalisedText {
  /** The text without case, marks, unseen characters and repeated spaces. */
  plain: string;
  /** Every word in the order of the text, and after them what signs or spaces tear apart. */
  words: readonly Unit[];
  torn: readonly Unit[];
}

/** Folds what readers take for the same: case, width, marks (ё is е), unseen characters, runs of spaces. */
export function plainText(text: string): string {
  return joined(folded(text));
}

/** Splits plain text into words. */
export function partsOf(plain: string): string[] {
  return plain
    .split(SEPARATORS)
    .map((part) => part.replace(OUTER_SIGNS, ""))
    .filter((part) => part !== "");
}

/** Reads letters that are repeated as one. */
export function singled(word: string): string {
  return word.replace(/(\p{L})\1+/gu, "$1");
}

/** Reads a text, and lets others work between the pieces of it. */
export async function normalise(text: string, pause: () => Promise<void>): Promise<NormalisedText> {
  let all = "";
  for (let at = 0; at < text.length; ) {
    const end = endOfBlock(text, at + BLOCK_LENGTH);
    await pause();
    all += folded(text.slice(at, end));
    at = end;
  }
  await pause();
  const plain = joined(all);
  await pause();
  const isTextCyrillic = isCyrillic(plain.slice(0, text.length));
  const words: Unit[] = [];
  const torn: Unit[] = [];
  const add = (to: Unit[], word: string, from: number, last: number, isSpelled = false) =>
    to.push({ from, to: last, isSpelled, readings: readingsOf(word, isTextCyrillic) });
  let spelled: string[] = [];
  for (const chunk of [...plain.split(" "), "--"]) {
    const parts = partsOf(chunk);
    const from = words.length;
    for (const part of chunk === "--" ? [chunk] : parts) {
      await pause();
      const letters = part.length > WORD_MAX ? [] : [...singled(part)];
      if (letters.length === 1) spelled.push(...letters);
      else {
        const from = words.length - spelled.length;
        for (let at = 0; at === 0 || at + SPELLED_OVERLAP < spelled.length; at += SPELLED_STEP) {
          const run = spelled.slice(at, at + SPELLED_STEP + SPELLED_OVERLAP);
          if (run.length < SPELLED_MIN) break;
          await pause();
          add(torn, run.join(""), from + at, from + at + run.length - 1, true);
        }
        spelled = [];
      }
      if (part !== "--") add(words, part, words.length, words.length);
    }
    if (parts.length > 1) add(torn, parts.join(""), from, words.length - 1);
  }
  return { plain, words, torn };
}

function endOfBlock(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at + 1 : at;
}

function folded(text: string): string {
  if (/^[\t-\r -~]*$/.test(text)) return text.toLowerCase();
  const known = new Map<string, string>();
  let all = "";
  for (const letter of text) all += known.getOrInsertComputed(letter, foldedLetter);
  return all;
}

function foldedLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const first = ALPHABETS.find((start) => code >= start && code < start + LETTERS);
  if (first !== undefined) return String.fromCharCode(0x61 + code - first);
  const wide = letter.normalize("NFKC").toLowerCase().normalize("NFKD");
  if (wide.length > EXPANSION_MAX) return letter;
  const bare = wide.replace(UNSEEN, "");
  let all = "";
  for (const part of bare) all += FOLDED.get(part) ?? part;
  return all;
}

function joined(folds: string): string {
  return folds.normalize("NFC").replace(/\s+/gu, " ").trim();
}

function readingsOf(word: string, isTextCyrillic: boolean | undefined): Reading[] {
  // Letters that are repeated three times and more are one in any language.
  const cut = word.slice(0, 4 * WORD_MAX);
  const unstretched = cut.replace(/(\p{L})\1{2,}/gu, "$1").slice(0, WORD_MAX);
  return readings(unstretched, isTextCyrillic).flatMap((text): Reading[] => {
    const single = singled(text);
    if (single === text) return [{ text }];
    return [{ text }, { text: single, singled: single.length * 5 <= text.length * 3 ? "all" : "some" }];
  });
}
