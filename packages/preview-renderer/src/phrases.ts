import { isIn } from "./find-words.js";
import { SUBJECTS } from "./lexicon.js";

const BIRTHDAY = /д(?:ень|ня|нем) рожд|праздн|birthday|(?<!\p{L})party(?!\p{L})|комнат|\broom\b/iu;

/**
 * Phrases that mean something else than their words, and the word of the lexicon that they are read as. A word in
 * capitals is in no lexicon: nothing of the phrase can be shown.
 */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/воздушн\p{L}* зме[йяюеи]\p{L}*/giu, "kite"],
  [/воздушн\p{L}* шарик\p{L}*/giu, "шарики"],
  [/hot[\s-]?air balloons?|воздушн\p{L}* шар\p{L}*/giu, "hotairballoon"],
  [
    /космическ\p{L}* (?:корабл\p{L}*|шаттл\p{L}*)|space[\s-]?(?:ship|craft)s?|star[\s-]?ships?/giu,
    "spaceship",
  ],
  [/(?<!\p{L})(?:old|elderly) couple|пожил\p{L}* пар[аыу](?!\p{L})/giu, "grandmother grandfather"],
  [
    /(?<!\p{L})(?:old|elderly) (?:man|men|gentleman)(?!\p{L})|(?:пожил|стар)\p{L}* (?:мужчин|человек)\p{L}*/giu,
    "grandfather",
  ],
  [
    /(?<!\p{L})(?:old|elderly) (?:woman|women|lady|ladies)(?!\p{L})|(?:пожил|стар)\p{L}* женщин\p{L}*/giu,
    "grandmother",
  ],
  [/крупн\p{L}* план\p{L}*|close[\s-]?up/giu, "closeup"],
  [/дед(?:а|у|ом)? мороз\p{L}*|santa claus/giu, "SANTA"],
  [/снежн\p{L}* баб\p{L}*|снеговик\p{L}*|снегурочк\p{L}*|snow[\s-]?m[ae]n/giu, "SNOWMAN"],
  [/снег(?:оход|ир)\p{L}*|snowmobiles?|snowboards?/giu, "SNOWMOBILE"],
  [/(?:northern|polar) lights/giu, "aurora"],
  [/milky way|млечн\p{L}* пут\p{L}*/giu, "stars"],
  [/hot[\s-]dogs?|хот-?дог\p{L}*/giu, "HOTDOG"],
  [/teddy bears?/giu, "TEDDY"],
  [/sea[\s-]?horses?|морск\p{L}* кон\p{L}+/giu, "SEAHORSE"],
  [/dragon[\s-]?fruits?/giu, "PITAYA"],
  [
    /fire[\s-](?:truck|engine|fighter|work|man|hydrant)s?|пожарн\p{L}*(?: машин\p{L}*| част\p{L}*)?/giu,
    "FIREMEN",
  ],
  [/(?:стиральн|швейн|посудомоечн)\p{L}* машин\p{L}*/giu, "APPLIANCE"],
  [/горничн\p{L}*/giu, "MAID"],
  [/лесник\p{L}*|лесоруб\p{L}*/giu, "FORESTER"],
  [/(?:christmas|new year) trees?/giu, "FIR"],
];

/** A pair of people is a couple; a pair of anything else is two of it. */
const PAIR_OF = /(?<!\p{L})(?:пар[аыу]|(?:couple|pair) of) (\p{L}+)/giu;
const COUNTABLE = Object.entries(SUBJECTS)
  .map(([name, entry]) => (name === "person" ? "" : entry))
  .join(" ");

/** The prompt with each such phrase as one word. Balloons of a birthday are those on a string. */
export function withPhrasesRead(prompt: string): string {
  const counted = prompt.replaceAll(PAIR_OF, (whole, thing: string) =>
    isIn(thing.toLowerCase(), COUNTABLE) ? `two ${thing}` : whole,
  );
  const read = PHRASES.reduce(
    (text, [phrase, word]) => text.replaceAll(phrase, word === word.toUpperCase() ? `X${word}` : word),
    counted.replaceAll("ё", "е").replaceAll("Ё", "Е"),
  );
  return BIRTHDAY.test(read) ? read.replaceAll("hotairballoon", "balloons") : read;
}
