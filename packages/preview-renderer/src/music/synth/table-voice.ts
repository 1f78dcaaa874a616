import { NOISE_SCALE, nextNoise } from "./noise.js";
import type { TablePatch } from "./patches.js";
import { CONTROL_STEP, SAMPLE_RATE } from "./samples.js";
import { levelFor, TABLE_SIZE, waveTable } from "./tables.js";
import type { Tone, Voice } from "./voice.js";

const VIBRATO_HERTZ = 5.4;
const TREMOLO_HERTZ = 6.1;
const CHIFF_SECONDS = 0.02;

interface Oscillator {
  phase: number;
  /** Table steps a sample. */
  step: number;
}

/** A state variable filter (Simper's form), one side of a voice. */
interface FilterState {
  first: number;
  second: number;
}

/** Wave tables with envelope, detuned oscillators, vibrato, noise and a low-pass, as the patch says. */
export class TableVoice implements Voice {
  readonly isWide: boolean;
  readonly #patch: TablePatch;
  readonly #tone: Tone;
  readonly #wave: Float32Array;
  readonly #later: Float32Array | undefined;
  readonly #oscillators: Oscillator[];
  readonly #decay: number;
  readonly #filters: FilterState[] = [
    { first: 0, second: 0 },
    { first: 0, second: 0 },
  ];
  #noise: number;
  #time = 0;
  #amplitude = 0;

  constructor(patch: TablePatch, tone: Tone) {
    this.#patch = patch;
    this.#tone = tone;
    const top = tone.hertz * (patch.drop ? 2 ** (patch.drop / 12) : 1);
    this.#wave = levelFor(waveTable(patch.wave), top, SAMPLE_RATE * 0.46);
    this.#later = patch.later && levelFor(waveTable(patch.later), top, SAMPLE_RATE * 0.46);
    const count = patch.unison ?? 1;
    this.isWide = count > 1;
    this.#noise = (tone.seed * 2654435761) | 1;
    const cents = patch.detune ?? 0;
    this.#oscillators = Array.from({ length: count }, (_, index) => {
      const away = count === 1 ? 0 : (index / (count - 1)) * 2 - 1;
      return {
        phase: count === 1 ? 0 : ((tone.seed * 0.37 + index * 0.61) % 1) * TABLE_SIZE,
        step: (tone.hertz * 2 ** ((away * cents) / 1200) * TABLE_SIZE) / SAMPLE_RATE,
      };
    });
    this.#decay = patch.sustain > 0 ? patch.decay : patch.decay * Math.min(2, (261 / tone.hertz) ** 0.6);
  }

  play(a: Float32Array, b: Float32Array, from: number, to: number): boolean {
    const { release } = this.#patch;
    const end = this.#tone.seconds + release;
    a.fill(0, from, to);
    if (this.isWide) b.fill(0, from, to);
    for (let start = from; start < to; start += CONTROL_STEP) {
      const stop = Math.min(to, start + CONTROL_STEP);
      this.#segment(a, b, start, stop);
    }
    return this.#time < end && (this.#amplitude > 1e-4 || this.#time < this.#patch.attack);
  }

  #segment(a: Float32Array, b: Float32Array, from: number, to: number): void {
    const { vibrato, drop, darkens = 1, unison = 1 } = this.#patch;
    const begin = this.#amplitude;
    const time = this.#time;
    this.#time += (to - from) / SAMPLE_RATE;
    const end = this.#amplitudeAt(this.#time);
    this.#amplitude = end;
    const slope = (end - begin) / (to - from);
    let bend = 1;
    if (vibrato) {
      const depth = (vibrato / 1200) * Math.min(1, Math.max(0, (time - 0.15) * 3));
      bend *= 2 ** (depth * Math.sin(2 * Math.PI * VIBRATO_HERTZ * time + this.#tone.seed));
    }
    if (drop) bend *= 2 ** ((drop / 12) * Math.exp(-time * 45));
    const bright = this.#later ? Math.exp(-time / darkens) * (0.35 + 0.65 * this.#tone.level) : 1;
    const share = 1 / Math.sqrt(Math.max(1, unison / 2));
    for (const [index, oscillator] of this.#oscillators.entries()) {
      const out = index % 2 === 0 ? a : b;
      this.#oscillate(oscillator, bend, out, from, to, begin * share, slope * share, bright);
    }
    if (this.#patch.chiff || this.#patch.breath) this.#blow(a, b, from, to, time);
    if (this.#patch.filter) this.#filter(a, b, from, to, time);
  }

  #oscillate(
    oscillator: Oscillator,
    bend: number,
    out: Float32Array,
    from: number,
    to: number,
    begin: number,
    slope: number,
    bright: number,
  ): void {
    const wave = this.#wave;
    const later = this.#later;
    const step = oscillator.step * bend;
    let { phase } = oscillator;
    let gain = begin;
    for (let i = from; i < to; i++) {
      const at = phase | 0;
      const part = phase - at;
      const low = wave[at] ?? 0;
      let sample = low + part * ((wave[at + 1] ?? 0) - low);
      if (later) {
        const dark = later[at] ?? 0;
        const soft = dark + part * ((later[at + 1] ?? 0) - dark);
        sample = soft + bright * (sample - soft);
      }
      out[i] = (out[i] ?? 0) + sample * gain;
      gain += slope;
      phase += step;
      if (phase >= TABLE_SIZE) phase -= TABLE_SIZE;
    }
    oscillator.phase = phase;
  }

  #amplitudeAt(time: number): number {
    const { attack, sustain, release, gain, tremolo } = this.#patch;
    const { seconds, level } = this.#tone;
    const held = Math.min(time, seconds);
    let amplitude = gain * level;
    if (held < attack) amplitude *= held / attack;
    else amplitude *= sustain + (1 - sustain) * Math.exp(-(held - attack) / this.#decay);
    if (tremolo) amplitude *= 1 - tremolo * (0.5 + 0.5 * Math.sin(2 * Math.PI * TREMOLO_HERTZ * time));
    if (time <= seconds) return amplitude;
    const left = Math.max(0, 1 - (time - seconds) / release);
    return amplitude * left * left;
  }

  /** Hammer and breath. */
  #blow(a: Float32Array, b: Float32Array, from: number, to: number, time: number): void {
    const { chiff = 0, breath = 0 } = this.#patch;
    const begin = chiff * Math.exp(-time / CHIFF_SECONDS) * this.#tone.level;
    const strength = (begin + breath * Math.min(1, this.#amplitude * 2.5)) * NOISE_SCALE;
    if (strength < 1e-13) return;
    let state = this.#noise;
    let before = 0;
    for (let i = from; i < to; i++) {
      state = nextNoise(state);
      before += 0.35 * (state - before);
      a[i] = (a[i] ?? 0) + before * strength;
      if (this.isWide) b[i] = (b[i] ?? 0) + before * strength;
    }
    this.#noise = state;
  }

  #filter(a: Float32Array, b: Float32Array, from: number, to: number, time: number): void {
    const { filter } = this.#patch;
    if (!filter) return;
    const open = filter.closed + (filter.cutoff - filter.closed) * Math.exp(-time / filter.closes);
    const hertz = Math.min(SAMPLE_RATE * 0.42, this.#tone.hertz * open * (0.6 + 0.4 * this.#tone.level));
    const g = Math.tan((Math.PI * hertz) / SAMPLE_RATE);
    const k = 1 / Math.max(0.5, filter.resonance);
    const a1 = 1 / (1 + g * (g + k));
    for (let side = 0; side < (this.isWide ? 2 : 1); side++) {
      const out = side === 0 ? a : b;
      const state = this.#filters[side];
      if (!state) continue;
      let { first, second } = state;
      for (let i = from; i < to; i++) {
        const v3 = (out[i] ?? 0) - second;
        const v1 = a1 * (first + g * v3);
        const v2 = second + g * v1;
        first = 2 * v1 - first;
        second = 2 * v2 - second;
        out[i] = v2;
      }
      state.first = first;
      state.second = second;
    }
  }
}
