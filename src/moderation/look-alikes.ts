const LATIN_OF = pairs("аaвbсcеeнhіiјjкkмmоoрpѕsтtуyхxԁdԛqԝwгrпnиuзzαaβbεeηnιiκkνvοoρpτtυuχxωwγyσoςc");
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
export function isCyrillic(text: string): boolean | undefined {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return cyrillic === latin ? undefined : cyrillic > latin;
}

/** Returns a word as it is, and as it may be meant: with letters of one alphabet for those that look alike. */
export function readings(word: string, isTextCyrillic: boolean | undefined): string[] {
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
