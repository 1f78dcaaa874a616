import { FmVoice } from "./fm-voice.js";
import type { Patch } from "./patches.js";
import { PluckVoice } from "./pluck-voice.js";
import { TableVoice } from "./table-voice.js";

/** Samples a second of everything in a track. */
export const SAMPLE_RATE = 44_100;
/** Samples between two looks at envelopes and vibrato. */
export const CONTROL_STEP = 32;

/** What a voice is asked to play. */
export interface Tone {
  hertz: number;
  /** How long the note is held, in seconds; its release comes after. */
  seconds: number;
  /** 0 to 1. */
  level: number;
  /** Makes two equal notes differ a little. */
  seed: number;
}

/** One sounding note. */
export interface Voice {
  /**
   * Writes the next samples into `a` and `b` at `from` (included) to `to` (excluded); `b` is the other
   * side of a wide sound and stays untouched when `isWide` is false. False when the note is over.
   */
  play(a: Float32Array, b: Float32Array, from: number, to: number): boolean;
  readonly isWide: boolean;
}

/** Starts a note of a patch. */
export function voiceOf(patch: Patch, tone: Tone): Voice {
  if (patch.kind === "table") return new TableVoice(patch, tone);
  return patch.kind === "pluck" ? new PluckVoice(patch, tone) : new FmVoice(patch, tone);
}

/** A number of -1 to 1 from a state, and the next state (xorshift). */
export function nextNoise(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}

/** The factor that takes a noise state to -1 … 1. */
export const NOISE_SCALE = 1 / 2 ** 31;
