import type { KitName } from "../synth/kits.js";
import type { PatchName } from "../synth/patches.js";
import type { ChordSize, ScaleName } from "../theory.js";

/** How chords are played: `muted` is a guitar with the palm on its strings. */
export interface Comp {
  kind: "held" | "hits" | "strum" | "arpeggio" | "muted";
  /** Sixteenths of a bar of four beats: `x` strikes, `o` weakly, `-` goes on, `.` rests. */
  steps: string;
}

/** Drums by sixteenths: `X` hard, `x` middling, `o` soft. */
export type Groove = Partial<
  Record<"kick" | "snare" | "rim" | "clap" | "hat" | "open" | "ride" | "shaker" | "tomLow" | "crash", string>
>;

/** What makes a style. The first of several instruments, comps and the like is the most typical one. */
export interface Style {
  /** Beats a minute, slowest and fastest. */
  bpm: readonly [number, number];
  beats: 3 | 4;
  scales: readonly [ScaleName, ...ScaleName[]];
  chordSize: ChordSize;
  /** A bar each; major and minor apart. */
  progressions: { major: readonly [string, ...string[]]; minor: readonly [string, ...string[]] };
  /** How late every second eighth or sixteenth comes: 0 even, 0.33 triplets. */
  swing: number;
  swingStep: 1 | 2;
  chords: readonly [PatchName, ...PatchName[]];
  bass: readonly [PatchName, ...PatchName[]];
  lead: readonly [PatchName, ...PatchName[]];
  pad: PatchName | undefined;
  comps: { verse: Comp; chorus: Comp };
  /** `1`, `3`, `5` of the chord, `8` its octave, `a` a step to the next chord; `-` goes on, `.` rests. */
  bassLine: string;
  kit: KitName;
  grooves: { verse: Groove; chorus: Groove };
  /** Notes of the melody a bar, about. */
  density: number;
  /** MIDI note around which the lead plays. */
  register: number;
  reverb: number;
  reverbSeconds: number;
  echo: number;
  drive: number;
  pump: number;
  dust: number;
  loudness: number;
}

export const EIGHTHS = "x.o.x.o.x.o.x.o.";

/** What every style is compared with: a plain band with a piano. */
export const NEUTRAL: Style = {
  bpm: [100, 100],
  beats: 4,
  scales: ["major", "minor"],
  chordSize: "triad",
  progressions: { major: ["1 4 5 1", "1 6 4 5"], minor: ["1 4 5 1", "1 6 4 5"] },
  swing: 0,
  swingStep: 2,
  chords: ["piano"],
  bass: ["fingered"],
  lead: ["piano"],
  pad: undefined,
  comps: {
    verse: { kind: "hits", steps: "x-------x-------" },
    chorus: { kind: "hits", steps: "x---x---x---x---" },
  },
  bassLine: "1-------5-------",
  kit: "acoustic",
  grooves: {
    verse: { kick: "x.......x.......", hat: "x...x...x...x..." },
    chorus: { kick: "x.......x.......", snare: "....x.......x...", hat: "x...x...x...x..." },
  },
  density: 4,
  register: 72,
  reverb: 0.14,
  reverbSeconds: 1.4,
  echo: 0,
  drive: 0.1,
  pump: 0,
  dust: 0,
  loudness: 0.75,
};
