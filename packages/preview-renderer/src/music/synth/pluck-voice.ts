import { NOISE_SCALE, nextNoise } from "./noise.js";
import type { PluckPatch } from "./patches.js";
import { SAMPLE_RATE } from "./samples.js";
import type { Tone, Voice } from "./voice.js";

/** Position along the string at which the pick strikes. */
const PICK_POSITION = 0.17;
/** Seconds in which a released string falls by 60 dB. */
const DAMPED_SECONDS = 0.14;

/** A plucked string: noise that runs round a delay line and loses treble at each turn. */
export class PluckVoice implements Voice {
  readonly isWide = false;
  readonly #line: Float32Array;
  readonly #gain: number;
  readonly #loss: number;
  readonly #dampedLoss: number;
  readonly #smooth: number;
  readonly #tuning: number;
  readonly #heldSamples: number;
  #position = 0;
  #before = 0;
  #tuned = 0;
  #tunedIn = 0;
  #samples = 0;
  #recent = 1;

  constructor(patch: PluckPatch, tone: Tone) {
    this.#smooth = 0.5 * (1 - patch.clarity);
    // The smoothing delays by its own share of a sample; an all-pass makes up the rest.
    const length = SAMPLE_RATE / tone.hertz - this.#smooth;
    const whole = Math.max(2, Math.floor(length - 0.1));
    const part = length - whole;
    this.#tuning = (1 - part) / (1 + part);
    const rings = patch.rings * Math.min(1.6, Math.max(0.25, (200 / tone.hertz) ** 0.5));
    this.#loss = 10 ** (-3 / (rings * tone.hertz));
    this.#dampedLoss = 10 ** (-3 / (Math.min(rings, DAMPED_SECONDS) * tone.hertz));
    this.#heldSamples = tone.seconds * SAMPLE_RATE;
    this.#gain = patch.gain * tone.level;
    this.#line = struck(whole, patch.brightness * (0.6 + 0.4 * tone.level), tone.seed);
  }

  play(a: Float32Array, _b: Float32Array, from: number, to: number): boolean {
    const line = this.#line;
    const { length } = line;
    const smooth = this.#smooth;
    const tuning = this.#tuning;
    const gain = this.#gain;
    const loss = this.#samples < this.#heldSamples ? this.#loss : this.#dampedLoss;
    let [position, before, tuned, tunedIn] = [this.#position, this.#before, this.#tuned, this.#tunedIn];
    let loudest = 0;
    for (let i = from; i < to; i++) {
      const out = line[position] ?? 0;
      a[i] = out * gain;
      if (out > loudest) loudest = out;
      const filtered = loss * (out + smooth * (before - out));
      before = out;
      tuned = tuning * (filtered - tuned) + tunedIn;
      tunedIn = filtered;
      line[position] = tuned;
      position++;
      if (position === length) position = 0;
    }
    [this.#position, this.#before, this.#tuned, this.#tunedIn] = [position, before, tuned, tunedIn];
    this.#samples += to - from;
    this.#recent = Math.max(loudest, this.#recent * 0.7);
    return this.#recent > 2e-4;
  }
}

/** The string just after the stroke: noise, softened as the pick is soft, without a mean. */
function struck(length: number, brightness: number, seed: number): Float32Array {
  const line = new Float32Array(length);
  let state = (Math.imul(seed + 1, 2654435761) | 1) ^ length;
  let soft = 0;
  const share = 0.06 + 0.94 * brightness * brightness;
  for (let turn = 0; turn < 2; turn++) {
    for (let i = 0; i < length; i++) {
      state = nextNoise(state);
      soft += share * (state * NOISE_SCALE - soft);
      line[i] = soft;
    }
  }
  const shift = Math.max(1, Math.round(length * PICK_POSITION));
  const combed = line.map((value, i) => value - 0.7 * (line[(i + length - shift) % length] ?? 0));
  const mean = combed.reduce((sum, value) => sum + value, 0) / length;
  const power = Math.sqrt(combed.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length) || 1;
  return combed.map((value) => ((value - mean) / power) * 0.42);
}
