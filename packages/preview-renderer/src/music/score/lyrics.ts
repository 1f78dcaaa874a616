import { type Syllable, syllablesOf } from "./syllables.js";

export type SectionKind = "intro" | "verse" | "chorus" | "bridge" | "solo" | "outro";

/** A part of the lyrics: its lines as syllables. */
export interface Stanza {
  kind: SectionKind;
  lines: readonly (readonly Syllable[])[];
}

const HEADERS: readonly [RegExp, SectionKind][] = [
  [/pre-?\s?chorus|предприпев|verse|куплет|строфа/iu, "verse"],
  [/chorus|hook|refrain|припев|рефрен/iu, "chorus"],
  [/bridge|бридж|мост/iu, "bridge"],
  [/solo|instrumental|interlude|break|соло|проигрыш|инструментал/iu, "solo"],
  [/intro|вступлени|интро/iu, "intro"],
  [/outro|ending|end|концовк|аутро|финал|кода/iu, "outro"],
];
/** `[Verse 1]`, `(Припев)`, `Куплет 2:`: a line that names a part and nothing else. */
const BRACKETED =
  /^\s*(?:\[(?<square>[^\]]*)\]|\((?<round>[^)]*)\)|(?<plain>\p{L}[\p{L}\s-]{2,20}\s*\d*)\s*:)\s*$/u;

function headerOf(line: string): { kind: SectionKind | undefined } | undefined {
  const { square, round, plain } = BRACKETED.exec(line)?.groups ?? {};
  const name = square ?? round ?? plain;
  if (name === undefined) return undefined;
  const kind = HEADERS.find(([pattern]) => pattern.test(name))?.[1];
  // Brackets that name no part are a direction in square ones, and backing words in round ones.
  return kind || square !== undefined ? { kind } : undefined;
}

/**
 * The stanzas of lyrics. Headers give them their kind and are not sung; where there are none, an empty
 * line ends a stanza, a stanza that comes again is the chorus, and else every second one is.
 */
export function stanzasOf(lyrics: string): Stanza[] {
  const parts: { kind: SectionKind | undefined; isNamed: boolean; text: string[] }[] = [];
  let isNew = true;
  for (const line of lyrics.split(/\r?\n/)) {
    const header = headerOf(line);
    if (header) {
      parts.push({ kind: header.kind, isNamed: header.kind !== undefined, text: [] });
      isNew = false;
      continue;
    }
    const sung = line.replace(/\[[^\]]*\]/gu, " ").trim();
    const last = parts.at(-1);
    if (sung === "") isNew = last !== undefined && last.text.length > 0;
    else if (last && !isNew) last.text.push(sung);
    else {
      parts.push({ kind: undefined, isNamed: false, text: [sung] });
      isNew = false;
    }
  }
  const isHeaded = parts.some(({ isNamed }) => isNamed);
  const texts = parts.map(({ text }) => text.join("\n").toLowerCase());
  const hasRefrain = texts.some((text, index) => text !== "" && texts.indexOf(text) !== index);
  return parts
    .map(({ kind, text }, index): Stanza => {
      const own = texts[index] ?? "";
      const isRepeated = own !== "" && texts.indexOf(own) !== texts.lastIndexOf(own);
      const isChorus = hasRefrain ? isRepeated : !isHeaded && index % 2 === 1;
      const lines = text.map(syllablesOf).filter((syllables) => syllables.length > 0);
      return { kind: kind ?? (isChorus ? "chorus" : "verse"), lines };
    })
    .filter(({ kind, lines }) => lines.length > 0 || kind === "solo");
}

const CYRILLIC = /\p{Script=Cyrillic}/u;
const WORDLESS = {
  russian: ["на на на на на", "у у у", "ла ла ла ла ла ла", "о о о"],
  english: ["la la la la la", "oo oo oo", "na na na na na na", "oh oh oh"],
} as const;
/** Words of a description that a refrain takes. */
const HOOK_WORDS = 5;

/** A song for a description: vocalises in the verses, its first words as the refrain. */
export function wordlessStanzas(subject: string): Stanza[] {
  const vocalises = CYRILLIC.test(subject) ? WORDLESS.russian : WORDLESS.english;
  const hook = syllablesOf(subject.split(/\s+/u).slice(0, HOOK_WORDS).join(" "));
  const [first, second, third, last] = vocalises.map(syllablesOf);
  const verse = [first, second, first, last].filter((line) => line !== undefined);
  const refrain = [hook, third, hook, last].filter((line) => line !== undefined && line.length > 0);
  return [
    { kind: "verse", lines: verse },
    { kind: "chorus", lines: refrain as Syllable[][] },
  ];
}
