import type { Brief } from "../brief.js";
import type { Plan } from "../plan.js";
import { type SectionKind, type Stanza, stanzasOf, wordlessStanzas } from "./lyrics.js";
import type { Syllable } from "./syllables.js";

/** A line of song and the bars that it takes. */
export interface Line {
  syllables: readonly Syllable[];
  /** The first bar, from the start of its section. */
  bar: number;
  bars: number;
}

/** A part of the track. */
export interface Section {
  kind: SectionKind;
  firstBar: number;
  bars: number;
  /** 0 hardly anything plays, 1 everything does. */
  energy: number;
  lines: readonly Line[];
}

/** Places of all sections in time. */
export interface Form {
  sections: readonly Section[];
  bars: number;
  barSeconds: number;
  seconds: number;
  /** The last chord begins here and rings to the end. */
  endAt: number;
}

const ENERGIES: Readonly<Record<SectionKind, number>> = {
  intro: 0.35,
  verse: 0.55,
  chorus: 1,
  bridge: 0.45,
  solo: 0.85,
  outro: 0.4,
};
/** The last chord rings at least so long, in seconds. */
const RING_SECONDS_MIN = 1.3;
/** How far a bar may be stretched so that the bars fill the track. */
const STRETCH = 0.04;
/** Syllables a second that are easily sung, and the most that are. */
const EASY_RATE = 3.3;
const FASTEST_RATE = 5.5;

/** Divides the seconds of a track into bars and sections, with the lyrics in them. */
export function formOf(brief: Brief, plan: Plan, seconds: number): Form {
  const nominal = (60 / plan.bpm) * plan.beats;
  const room = seconds - RING_SECONDS_MIN;
  const wanted = Math.max(2, Math.round(room / nominal));
  const bars = room / wanted < nominal * (1 - STRETCH) ? Math.max(2, wanted - 1) : wanted;
  const barSeconds = Math.min(room / bars, nominal * (1 + STRETCH));
  const intro = bars >= 24 ? 4 : bars >= 10 ? 2 : bars >= 4 ? 1 : 0;
  const outro = bars >= 24 ? 4 : bars >= 10 ? 2 : bars >= 3 ? 1 : 0;
  const middle = bars - intro - outro;
  const stanzas = brief.lyrics ? stanzasOf(brief.lyrics) : [];
  const parts =
    brief.hasVoice && stanzas.length > 0
      ? lyricParts(stanzas, middle, barSeconds)
      : plainParts(middle, brief.hasVoice ? wordlessStanzas(brief.subject) : [], barSeconds);
  const all = [emptyPart("intro", intro), ...parts, emptyPart("outro", outro)];
  let firstBar = 0;
  const sections = all
    .filter((part) => part.bars > 0)
    .map((part): Section => {
      const section = { ...part, firstBar, energy: ENERGIES[part.kind] };
      firstBar += part.bars;
      return section;
    });
  return { sections, bars, barSeconds, seconds, endAt: bars * barSeconds };
}

/** Estimates how many seconds it takes to sing the lyrics. */
export function singingSeconds(lyrics: string): number {
  const syllables = stanzasOf(lyrics).flatMap(({ lines }) => lines.flat());
  return syllables.length / 2.4 + 10;
}

type Part = Pick<Section, "kind" | "bars" | "lines">;

function emptyPart(kind: SectionKind, bars: number): Part {
  return { kind, bars, lines: [] };
}

/** Bars of a line: one, two or four. */
function barsOfLine(syllables: readonly Syllable[], barSeconds: number, rate: number): number {
  const needed = (syllables.length + 1) / (rate * barSeconds);
  return needed <= 1 ? 1 : needed <= 2 ? 2 : Math.ceil(needed / 2) * 2;
}

function sungPart({ kind, lines }: Stanza, barSeconds: number, rate: number): Part {
  let bar = 0;
  const placed = lines.map((syllables): Line => {
    const line = { syllables, bar, bars: barsOfLine(syllables, barSeconds, rate) };
    bar += line.bars;
    return line;
  });
  return { kind, bars: kind === "solo" && bar === 0 ? 4 : bar, lines: placed };
}

const barsOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.bars, 0);

/** The stanzas as they come, faster where the track is short, and again where it is long. */
function lyricParts(stanzas: readonly Stanza[], bars: number, barSeconds: number): Part[] {
  const easy = stanzas.map((stanza) => sungPart(stanza, barSeconds, EASY_RATE));
  const parts =
    barsOf(easy) <= bars ? easy : stanzas.map((stanza) => sungPart(stanza, barSeconds, FASTEST_RATE));
  const made: Part[] = [];
  let left = bars;
  for (let index = 0; left > 0; index++) {
    const isAgain = index >= parts.length;
    if (isAgain && index % parts.length === 0 && left > 8) {
      made.push(emptyPart("solo", 4));
      left -= 4;
    }
    const part = parts[index % parts.length];
    if (!part) break;
    if (isAgain && part.bars > left) {
      made.push(emptyPart("solo", left));
      break;
    }
    const lines = part.lines.filter((line) => line.bar + line.bars <= left);
    const cut = Math.min(part.bars, left);
    made.push({ ...part, bars: cut, lines });
    left -= cut;
  }
  return made;
}

const ORDER: readonly SectionKind[] = [
  "verse",
  "chorus",
  "verse",
  "chorus",
  "bridge",
  "chorus",
  "solo",
  "chorus",
];

/** Verses and choruses of eight, four or fewer bars. */
function plainParts(bars: number, stanzas: readonly Stanza[], barSeconds: number): Part[] {
  const unit = bars >= 24 ? 8 : bars >= 8 ? 4 : Math.max(1, Math.floor(bars / 2));
  const count = Math.max(1, Math.floor(bars / unit));
  return Array.from({ length: count }, (_, index): Part => {
    const isLast = index === count - 1;
    const kind = isLast && count > 1 ? "chorus" : (ORDER[index % ORDER.length] ?? "verse");
    const length = isLast ? bars - unit * (count - 1) : unit;
    const stanza = stanzas.find((other) => other.kind === kind);
    return { kind, bars: length, lines: stanza ? looped(stanza, length, barSeconds) : [] };
  });
}

/** The lines of a stanza, again and again until the bars are full. */
function looped({ lines }: Stanza, bars: number, barSeconds: number): Line[] {
  const placed: Line[] = [];
  let bar = 0;
  for (let index = 0; bar < bars; index++) {
    const syllables = lines[index % lines.length];
    if (!syllables) break;
    const length = Math.max(bars >= 2 ? 2 : 1, barsOfLine(syllables, barSeconds, EASY_RATE));
    if (bar + length <= bars) placed.push({ syllables, bar, bars: length });
    bar += length;
  }
  return placed;
}
