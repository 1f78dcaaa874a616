import { type Track, writeTrack } from "../src/music/music.js";
import type { Score } from "../src/music/score/score.js";
import { LoudnessMeter } from "../src/music/synth/loudness.js";
import { master } from "../src/music/synth/master.js";
import { mixdown } from "../src/music/synth/mixer.js";
import { SAMPLE_RATE } from "../src/music/synth/samples.js";
import type { ParameterValue, RenderRequest } from "../src/task.js";

/** Samples of -1 to 1. */
export interface Sound {
  left: Float32Array;
  right: Float32Array;
}

export function songRequest(parameters: Record<string, ParameterValue> = {}): RenderRequest {
  return {
    type: "music",
    model_key: "music:test",
    mode: "description",
    description: "a song for the test",
    duration_sec: 14,
    ...parameters,
  };
}

/** A track before it is encoded; 14 s long unless told otherwise. */
export function track(parameters: Record<string, ParameterValue> = {}, seed = 7, index = 0): Track {
  return writeTrack({ request: songRequest(parameters), model: "test", seed }, index);
}

/** The samples of a score, or of what `only` leaves of it, before they are brought to one loudness. */
export const soundOf = (score: Score, only: Partial<Score> = {}): Sound =>
  joined(mixdown({ ...score, ...only }));

/** The samples of a score as they are in its file. */
export const masteredSoundOf = (score: Score): Sound => joined(master(mixdown(score)));

function joined(source: Iterable<[Float32Array, Float32Array]>): Sound {
  const blocks = [...source];
  const join = (side: 0 | 1): Float32Array => {
    const all = new Float32Array(blocks.length * 1152);
    for (const [index, block] of blocks.entries()) all.set(block[side], index * 1152);
    return all;
  };
  return { left: join(0), right: join(1) };
}

export const heard = (parameters: Record<string, ParameterValue> = {}, seed = 7): Sound =>
  soundOf(track(parameters, seed).score);

export const monoOf = ({ left, right }: Sound): Float32Array =>
  left.map((sample, index) => (sample + (right[index] ?? 0)) / 2);

/** The integrated loudness of a sound, in LUFS. */
export function loudnessOf({ left, right }: Sound): number {
  const meter = new LoudnessMeter();
  meter.add(left, right);
  return meter.integrated();
}

export const decibels = (ratio: number): number => 20 * Math.log10(ratio);

export function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

export function peak({ left, right }: Sound): number {
  const loudest = (most: number, sample: number): number => Math.max(most, Math.abs(sample));
  return Math.max(left.reduce(loudest, 0), right.reduce(loudest, 0));
}

/** Root mean squares of pieces of so many seconds, one after the other. */
export function levels(samples: Float32Array, seconds: number): number[] {
  const length = Math.round(seconds * SAMPLE_RATE);
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    rms(samples.subarray(index * length, (index + 1) * length)),
  );
}

const SIZE = 4096;

/** The mean power of each frequency of a sound, by windows of 93 ms. */
export function spectrum(samples: Float32Array): Float64Array {
  const power = new Float64Array(SIZE / 2);
  for (let start = 0; start + SIZE <= samples.length; start += SIZE) {
    const real = Float64Array.from({ length: SIZE }, (_, i) => {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE);
      return (samples[start + i] ?? 0) * hann;
    });
    const imaginary = new Float64Array(SIZE);
    transform(real, imaginary);
    for (let i = 0; i < power.length; i++)
      power[i] = (power[i] ?? 0) + (real[i] ?? 0) ** 2 + (imaginary[i] ?? 0) ** 2;
  }
  return power;
}

/** A fast Fourier transform in place, for a power of two (Cooley and Tukey). */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let i = 1, j = 0; i < length; i++) {
    let bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [real[i], real[j]] = [real[j] ?? 0, real[i] ?? 0];
    [imaginary[i], imaginary[j]] = [imaginary[j] ?? 0, imaginary[i] ?? 0];
  }
  for (let size = 2; size <= length; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const [cos, sin] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
      for (let i = k; i < length; i += size) {
        const j = i + size / 2;
        const [x, y] = [real[j] ?? 0, imaginary[j] ?? 0];
        const [a, b] = [x * cos - y * sin, x * sin + y * cos];
        const [c, d] = [real[i] ?? 0, imaginary[i] ?? 0];
        real[j] = c - a;
        imaginary[j] = d - b;
        real[i] = c + a;
        imaginary[i] = d + b;
      }
    }
  }
}

const hertzOfBin = (bin: number): number => (bin * SAMPLE_RATE) / SIZE;

/** The share of a sound's power between two frequencies, 0 to 1. */
export function shareBetween(samples: Float32Array, low: number, high: number): number {
  const power = spectrum(samples);
  const inside = power.filter((_, bin) => hertzOfBin(bin) >= low && hertzOfBin(bin) < high);
  return sum(inside) / sum(power);
}

/** The mean frequency of a sound by its strength (square root of power), in hertz: how bright it is. */
export function centroid(samples: Float32Array): number {
  const strength = spectrum(samples).map(Math.sqrt);
  return sum(strength.map((value, bin) => value * hertzOfBin(bin))) / sum(strength);
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

const HOP = 512;

/** How much louder each piece of 12 ms is than the one before: where something is struck. */
function strokes(samples: Float32Array): Float64Array {
  const loudness = Float64Array.from(levels(samples, HOP / SAMPLE_RATE), (level) => Math.log(1e-3 + level));
  return loudness.map((level, index) => Math.max(0, level - (loudness[index - 1] ?? level)));
}

/**
 * How well a sound repeats its strokes after so many seconds, from 0 up: 1 would be noise's own likeness
 * to itself at no delay.
 */
export function pulseAt(samples: Float32Array, seconds: number): number {
  const onsets = strokes(samples);
  const mean = sum(onsets) / onsets.length;
  const centred = onsets.map((onset) => onset - mean);
  const lag = Math.round((seconds * SAMPLE_RATE) / HOP);
  const likeness = (delay: number): number =>
    sum(centred.map((onset, index) => onset * (centred[index + delay] ?? 0))) /
    sum(centred.map((o) => o * o));
  return Math.max(likeness(lag - 1), likeness(lag), likeness(lag + 1));
}

/** How many strokes a second a sound has. */
export function strokesPerSecond(samples: Float32Array): number {
  const onsets = strokes(samples);
  let count = 0;
  let last = -10;
  for (const [index, onset] of onsets.entries()) {
    if (onset < 0.35 || index - last < 4) continue;
    count++;
    last = index;
  }
  return (count * SAMPLE_RATE) / samples.length;
}
