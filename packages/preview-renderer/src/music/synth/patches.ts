import type { WaveName } from "./tables.js";

interface Common {
  /** Gain that makes the patches equally loud. */
  gain: number;
}

/** A sustained or struck sound from wave tables. Times in seconds. */
export interface TablePatch extends Common {
  kind: "table";
  wave: WaveName;
  /** The wave it turns into within `darkens` seconds. */
  later?: WaveName;
  darkens?: number;
  attack: number;
  /** Time in which the note falls to `sustain` (to 37 % of the way); longer for low notes when it is 0. */
  decay: number;
  sustain: number;
  release: number;
  /** Oscillators, in turns left and right, and how far they are tuned up and down, in cents. */
  unison?: number;
  detune?: number;
  /** Depth in cents, at about 5.4 Hz, after a third of a second. */
  vibrato?: number;
  /** Depth of the changes of loudness, 0 to 1, at about 6 Hz. */
  tremolo?: number;
  /** A low-pass that opens to `cutoff` × the note's frequency and closes to `closed` × within `closes` seconds. */
  filter?: { cutoff: number; closed: number; closes: number; resonance: number };
  /** Breath or hammer: noise at the start, and all along. */
  chiff?: number;
  breath?: number;
  /** Semitones that the note falls at its start. */
  drop?: number;
}

/** A plucked string (Karplus and Strong, 1983). */
export interface PluckPatch extends Common {
  kind: "pluck";
  /** Hardness of the pick: 0 soft, 1 hard. */
  brightness: number;
  /** Seconds in which a note around 200 Hz falls by 60 dB. */
  rings: number;
  /** How much of the treble stays at each turn, 0 to 1. */
  clarity: number;
}

/** Two sines, one of which bends the other's phase (Chowning, 1973). */
export interface FmPatch extends Common {
  kind: "fm";
  ratio: number;
  index: number;
  /** Seconds in which the index, and the loudness, fall to 37 %. */
  indexDecay: number;
  decay: number;
  release: number;
}

export type Patch = TablePatch | PluckPatch | FmPatch;

const held = { kind: "table", decay: 0.2, sustain: 1 } as const;

/** The instruments. */
export const PATCHES = {
  piano: {
    kind: "table",
    gain: 0.2,
    wave: "pianoBright",
    later: "pianoDark",
    darkens: 0.5,
    chiff: 0.05,
    attack: 0.003,
    decay: 1.5,
    sustain: 0,
    release: 0.18,
    unison: 2,
    detune: 2,
  },
  epiano: { kind: "fm", gain: 0.21, ratio: 1, index: 1.5, indexDecay: 0.5, decay: 1.9, release: 0.16 },
  organ: { ...held, gain: 0.19, wave: "organ", attack: 0.012, release: 0.07, tremolo: 0.12, vibrato: 4 },
  strings: {
    ...held,
    gain: 0.2,
    wave: "bowed",
    attack: 0.16,
    release: 0.34,
    unison: 4,
    detune: 13,
    vibrato: 7,
  },
  cello: {
    ...held,
    gain: 0.2,
    wave: "bowed",
    attack: 0.09,
    release: 0.22,
    unison: 2,
    detune: 7,
    vibrato: 8,
  },
  violin: { ...held, gain: 0.19, wave: "violin", attack: 0.07, release: 0.16, vibrato: 20, breath: 0.012 },
  pad: { ...held, gain: 0.33, wave: "warm", attack: 0.7, release: 1.1, unison: 4, detune: 15, tremolo: 0.08 },
  choir: {
    ...held,
    gain: 0.22,
    wave: "choir",
    attack: 0.3,
    release: 0.6,
    unison: 4,
    detune: 17,
    vibrato: 11,
    breath: 0.02,
  },
  flute: {
    ...held,
    gain: 0.19,
    wave: "flute",
    attack: 0.05,
    release: 0.12,
    vibrato: 13,
    breath: 0.05,
    chiff: 0.1,
  },
  brass: {
    ...held,
    gain: 0.19,
    wave: "brassBright",
    later: "brassDark",
    darkens: 0.7,
    attack: 0.045,
    release: 0.14,
    unison: 2,
    detune: 8,
    vibrato: 8,
  },
  sax: {
    ...held,
    gain: 0.19,
    wave: "reed",
    attack: 0.035,
    release: 0.12,
    vibrato: 17,
    breath: 0.03,
    chiff: 0.06,
    filter: { cutoff: 9, closed: 4.5, closes: 0.35, resonance: 0.8 },
  },
  accordion: { ...held, gain: 0.18, wave: "accordion", attack: 0.04, release: 0.09, unison: 2, detune: 15 },
  bells: { kind: "fm", gain: 0.19, ratio: 3.53, index: 1.7, indexDecay: 0.9, decay: 1.7, release: 0.9 },
  celesta: { kind: "fm", gain: 0.22, ratio: 4, index: 0.7, indexDecay: 0.25, decay: 0.8, release: 0.4 },
  harp: { kind: "pluck", gain: 0.58, brightness: 0.34, rings: 3.4, clarity: 0.62 },
  nylon: { kind: "pluck", gain: 0.66, brightness: 0.3, rings: 2.3, clarity: 0.5 },
  steel: { kind: "pluck", gain: 0.66, brightness: 0.62, rings: 3, clarity: 0.78 },
  electric: { kind: "pluck", gain: 0.58, brightness: 0.5, rings: 4.5, clarity: 0.68 },
  /** A lead guitar whose amplifier never lets a note die. */
  shred: {
    ...held,
    gain: 0.18,
    wave: "saw",
    attack: 0.01,
    release: 0.1,
    unison: 2,
    detune: 6,
    vibrato: 19,
    filter: { cutoff: 11, closed: 7, closes: 0.5, resonance: 1.2 },
  },
  /** Meant for the guitars' channel, which distorts it. */
  driven: { kind: "pluck", gain: 0.8, brightness: 0.75, rings: 7, clarity: 0.84 },
  /** The same with the palm on the strings. */
  muted: { kind: "pluck", gain: 0.9, brightness: 0.7, rings: 0.4, clarity: 0.6 },
  balalaika: { kind: "pluck", gain: 1.0, brightness: 0.85, rings: 0.8, clarity: 0.85 },
  synth: {
    ...held,
    gain: 0.18,
    wave: "saw",
    attack: 0.008,
    release: 0.14,
    unison: 2,
    detune: 11,
    vibrato: 9,
    filter: { cutoff: 14, closed: 5, closes: 0.25, resonance: 1.1 },
  },
  supersaw: {
    ...held,
    gain: 0.19,
    wave: "saw",
    attack: 0.012,
    release: 0.18,
    unison: 4,
    detune: 22,
    filter: { cutoff: 18, closed: 9, closes: 0.4, resonance: 0.7 },
  },
  blip: {
    kind: "table",
    gain: 0.31,
    wave: "saw",
    attack: 0.003,
    decay: 0.28,
    sustain: 0,
    release: 0.12,
    unison: 2,
    detune: 9,
    filter: { cutoff: 16, closed: 2, closes: 0.09, resonance: 1.6 },
  },
  chip: { ...held, gain: 0.21, wave: "square", attack: 0.003, release: 0.04, decay: 0.3, sustain: 0.6 },
  fingered: { kind: "pluck", gain: 0.56, brightness: 0.22, rings: 3.2, clarity: 0.42 },
  picked: { kind: "pluck", gain: 0.55, brightness: 0.5, rings: 4, clarity: 0.66 },
  upright: { kind: "pluck", gain: 0.68, brightness: 0.13, rings: 1.7, clarity: 0.3 },
  sawBass: {
    kind: "table",
    gain: 0.29,
    wave: "saw",
    attack: 0.004,
    decay: 0.6,
    sustain: 0.55,
    release: 0.06,
    filter: { cutoff: 9, closed: 3, closes: 0.12, resonance: 1.3 },
  },
  deepBass: {
    kind: "table",
    gain: 0.28,
    wave: "sine",
    later: "sine",
    attack: 0.004,
    decay: 1.1,
    sustain: 0.2,
    release: 0.12,
    drop: 9,
    chiff: 0.03,
  },
} as const satisfies Record<string, Patch>;

export type PatchName = keyof typeof PATCHES;

export function patchOf(name: PatchName): Patch {
  return PATCHES[name];
}
