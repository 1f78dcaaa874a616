import type { DrumName, KitName } from "../synth/kits.js";
import type { PatchName } from "../synth/patches.js";
import type { Syllable } from "./syllables.js";

/** The mixer's channels for notes. The drums and the singer have channels of their own. */
export type ChannelName = "chords" | "bass" | "lead" | "pad" | "guitars";

/** A note of an instrument. Times in seconds from the start of the track. */
export interface Note {
  at: number;
  seconds: number;
  midi: number;
  /** Strength, 0 to 1. */
  level: number;
  /** Position from -1, left, to 1, right. */
  pan: number;
  patch: PatchName;
  channel: ChannelName;
}

/** A stroke of a drum. */
export interface Hit {
  at: number;
  drum: DrumName;
  level: number;
}

/** A sung syllable. */
export interface Sung {
  at: number;
  seconds: number;
  midi: number;
  level: number;
  syllable: Syllable;
}

/** How the channels sound together; gains are factors, times are seconds. */
export interface Mix {
  gains: Readonly<Record<ChannelName | "drums" | "voice", number>>;
  /** How much of the notes goes to the reverb, 0 to 1, and how long it rings. */
  reverb: number;
  reverbSeconds: number;
  /** Loudness and time of the echoes of lead and voice. */
  echo: number;
  echoSeconds: number;
  /** Distortion of the guitars, 0 to 1. */
  drive: number;
  /** How far the kick pushes chords, pad and bass down, 0 to 1. */
  pump: number;
  /** Old tape: darker, wavering, with crackles, 0 to 1. */
  dust: number;
  /** Gain of the whole, which the master evens out between songs. */
  loudness: number;
}

export interface Score {
  seconds: number;
  /** Seconds at which the final fade begins. */
  fadeAt: number;
  notes: readonly Note[];
  hits: readonly Hit[];
  sung: readonly Sung[];
  kit: KitName;
  /** True for a singer whose formants lie above a low man's. */
  isHighVoice: boolean;
  mix: Mix;
}
