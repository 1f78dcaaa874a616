import type { Random } from "../random.js";
import { SAMPLE_RATE, type Stereo } from "./sound-recorder.js";

/** A note that stands out. */
export interface Pitch {
  /** MIDI number: 69 is 440 Hz, 12 are an octave. */
  midi: number;
  /** Semitones that it slides over its length. */
  glide: number;
  lengthSec: number;
  /** How often a second it comes and goes; 0 not at all. */
  tremoloHz: number;
  level: number;
}

interface Span {
  startSec: number;
  lengthSec: number;
}

/** How long a pad sounds on into the next chord. */
const OVERLAP_SEC = 1.4;
const TURN = Math.PI * 2;

const hertzOf = (midi: number): number => 440 * 2 ** ((midi - 69) / 12);

/** Adds one note of a chord, a little out of tune between left and right, that swells and fades. */
export function addPad(
  sound: Stereo,
  { startSec, lengthSec }: Span,
  midi: number,
  level: number,
  random: Random,
): void {
  const start = Math.round(startSec * SAMPLE_RATE);
  const whole = Math.round((lengthSec + OVERLAP_SEC) * SAMPLE_RATE);
  const swell = OVERLAP_SEC * SAMPLE_RATE;
  for (const [side, channel] of sound.entries()) {
    const step = (hertzOf(midi + (side === 0 ? -0.05 : 0.05)) * TURN) / SAMPLE_RATE;
    const phase = random.next() * TURN;
    const end = Math.min(channel.length, start + whole);
    for (let index = start; index < end; index++) {
      const at = index - start;
      const shape = Math.min(1, at / swell, (whole - at) / swell);
      const angle = phase + at * step;
      const tone = Math.sin(angle) + 0.3 * Math.sin(angle * 2) + 0.1 * Math.sin(angle * 3.003);
      channel[index] = (channel[index] ?? 0) + tone * level * shape * shape;
    }
  }
}

/** Adds a struck note with two echoes. `pan` from −1 (left) to 1 (right). */
export function addPluck(sound: Stereo, startSec: number, pitch: Pitch, pan: number): void {
  for (const [echo, strength] of [1, 0.35, 0.14].entries()) {
    const side = echo % 2 === 0 ? pan : -pan;
    addStroke(sound, startSec + echo * 0.37, { ...pitch, level: pitch.level * strength }, side);
  }
}

function addStroke(sound: Stereo, startSec: number, pitch: Pitch, pan: number): void {
  const [left, right] = sound;
  const { midi, glide, lengthSec, tremoloHz, level } = pitch;
  const start = Math.round(startSec * SAMPLE_RATE);
  const whole = Math.round(lengthSec * SAMPLE_RATE);
  const end = Math.min(left.length, start + whole);
  let angle = 0;
  for (let index = start; index < end; index++) {
    const t = (index - start) / whole;
    angle += (hertzOf(midi + glide * t) * TURN) / SAMPLE_RATE;
    const pulse = tremoloHz === 0 ? 1 : 0.5 + 0.5 * Math.sin(tremoloHz * TURN * t * lengthSec);
    const shape = Math.min(1, t * 40) * (1 - t) ** 3 * pulse;
    const value = (Math.sin(angle) + 0.18 * Math.sin(angle * 2.76)) * shape * level;
    left[index] = (left[index] ?? 0) + value * (1 - pan) * 0.5;
    right[index] = (right[index] ?? 0) + value * (1 + pan) * 0.5;
  }
}
