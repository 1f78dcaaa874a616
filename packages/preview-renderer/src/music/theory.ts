/** Semitones above the tonic of the seven degrees of each scale. */
export const SCALES = {
  major: [0, 2, 4, 5, 7, 9, 11],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
  harmonic: [0, 2, 3, 5, 7, 8, 11],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  phrygian: [0, 1, 3, 5, 7, 8, 10],
} as const satisfies Record<string, readonly number[]>;

export type ScaleName = keyof typeof SCALES;

/** How many notes a chord has: `power` is root, fifth and octave. */
export type ChordSize = "power" | "triad" | "seventh" | "ninth";

/** True for scales with a minor third. */
export function isMinor(scale: ScaleName): boolean {
  return SCALES[scale][2] === 3;
}

/** Semitones above the tonic of any degree; 0 is the tonic, 7 the one an octave higher, -1 the leading tone. */
export function semitonesOf(scale: ScaleName, degree: number): number {
  const octave = Math.floor(degree / 7);
  return octave * 12 + (SCALES[scale][degree - octave * 7] ?? 0);
}

const SYMBOL = /^(b?)([1-7])(M?)$/;

/**
 * The notes of a chord in semitones above the tonic, root first. A symbol is a degree from 1 to 7; `b`
 * before it borrows the major chord a semitone below that degree of major, `M` behind it makes its third major.
 */
export function chordOf(scale: ScaleName, symbol: string, size: ChordSize): number[] {
  const [, flat = "", number = "1", major = ""] = SYMBOL.exec(symbol) ?? [];
  const degree = Number(number) - 1;
  const root = flat ? semitonesOf("major", degree) - 1 : semitonesOf(scale, degree);
  const above = (steps: number): number => semitonesOf(scale, degree + steps);
  const isForced = flat !== "" || major !== "";
  const fifth = isForced ? root + 7 : above(4);
  if (size === "power") return [root, root + 7, root + 12];
  const notes = [root, isForced ? root + 4 : above(2), fifth];
  if (size === "triad") return notes;
  notes.push(isForced ? root + 10 : above(6));
  if (size === "ninth") notes.push(root + 14);
  return notes;
}

/** The notes moved by octaves so that they lie together around `centre` (MIDI), lowest first. */
export function voiced(notes: readonly number[], centre: number): number[] {
  return notes
    .map((note) => note + 12 * Math.round((centre - note) / 12))
    .sort((first, second) => first - second);
}
