import type { FmPatch } from "./patches.js";
import { CONTROL_STEP, SAMPLE_RATE } from "./samples.js";
import { sineTable, TABLE_SIZE } from "./tables.js";
import type { Tone, Voice } from "./voice.js";

const MASK = TABLE_SIZE - 1;
const ATTACK_SECONDS = 0.002;

/** A sine whose phase another sine bends: struck metal and electric pianos. */
export class FmVoice implements Voice {
  readonly isWide = false;
  readonly #patch: FmPatch;
  readonly #tone: Tone;
  readonly #step: number;
  readonly #sine = sineTable();
  #carrier = 0;
  #modulator = 0;
  #time = 0;
  #amplitude = 0;

  constructor(patch: FmPatch, tone: Tone) {
    this.#patch = patch;
    this.#tone = tone;
    this.#step = (tone.hertz * TABLE_SIZE) / SAMPLE_RATE;
  }

  play(a: Float32Array, _b: Float32Array, from: number, to: number): boolean {
    const { ratio, release } = this.#patch;
    const sine = this.#sine;
    for (let start = from; start < to; start += CONTROL_STEP) {
      const stop = Math.min(to, start + CONTROL_STEP);
      const depth = this.#depthAt(this.#time);
      let gain = this.#amplitude;
      this.#time += (stop - start) / SAMPLE_RATE;
      this.#amplitude = this.#amplitudeAt(this.#time);
      const slope = (this.#amplitude - gain) / (stop - start);
      let [carrier, modulator] = [this.#carrier, this.#modulator];
      for (let i = start; i < stop; i++) {
        const phase = carrier + depth * (sine[modulator & MASK] ?? 0);
        const at = Math.floor(phase);
        const low = sine[at & MASK] ?? 0;
        a[i] = gain * (low + (phase - at) * ((sine[(at & MASK) + 1] ?? 0) - low));
        gain += slope;
        carrier += this.#step;
        modulator += this.#step * ratio;
      }
      [this.#carrier, this.#modulator] = [carrier % TABLE_SIZE, modulator % TABLE_SIZE];
    }
    return this.#time < this.#tone.seconds + release && (this.#amplitude > 1e-4 || this.#time < 0.05);
  }

  /** How far the phase is bent, in table steps. High notes are bent less, so that nothing folds back. */
  #depthAt(time: number): number {
    const { index, indexDecay } = this.#patch;
    const room = Math.min(1, 900 / this.#tone.hertz);
    const strength = 0.3 + 0.7 * this.#tone.level;
    return index * room * strength * Math.exp(-time / indexDecay) * (TABLE_SIZE / (2 * Math.PI));
  }

  #amplitudeAt(time: number): number {
    const { gain, decay, release } = this.#patch;
    const { seconds, level, hertz } = this.#tone;
    const length = decay * Math.min(1.6, (400 / hertz) ** 0.4);
    const amplitude = gain * level * Math.min(1, time / ATTACK_SECONDS) * Math.exp(-time / length);
    if (time <= seconds) return amplitude;
    return amplitude * Math.max(0, 1 - (time - seconds) / release) ** 2;
  }
}
