import { SAMPLE_RATE } from "./samples.js";

/** Lengths of the delay lines in milliseconds, without a common measure. */
const LINES_MS = [29.7, 37.1, 41.1, 43.7, 53.3, 59.9, 67.3, 71.9] as const;
const DIFFUSERS_MS = [4.7, 3.6, 12.7, 9.3] as const;
/** How much of the treble the walls give back. */
const TREBLE = 0.62;

/** A delay line whose length is fixed. */
class Line {
  readonly samples: Float32Array;
  at = 0;

  constructor(milliseconds: number) {
    this.samples = new Float32Array(Math.round((milliseconds * SAMPLE_RATE) / 1000));
  }
}

/** A room: eight delay lines that feed each other (Jot's feedback network, Householder matrix). */
export class Reverb {
  readonly #lines = LINES_MS.map((milliseconds) => new Line(milliseconds));
  readonly #diffusers = DIFFUSERS_MS.map((milliseconds) => new Line(milliseconds));
  readonly #gains: Float64Array;
  readonly #dull = new Float64Array(LINES_MS.length);
  readonly #values = new Float64Array(LINES_MS.length);
  readonly #level: number;

  /** @param seconds in which the sound falls by 60 dB */
  constructor(seconds: number) {
    this.#gains = Float64Array.from(LINES_MS, (milliseconds) => 10 ** ((-3 * milliseconds) / 1000 / seconds));
    // A long answer piles up: every room is as loud as one of a second and a half.
    this.#level = 0.4 * Math.sqrt(1.5 / seconds);
  }

  /** Adds the room's answer to `input` to both sides. */
  add(input: Float32Array, left: Float32Array, right: Float32Array): void {
    const lines = this.#lines;
    const values = this.#values;
    for (let i = 0; i < input.length; i++) {
      let dry = input[i] ?? 0;
      for (const line of this.#diffusers) {
        const { samples, at } = line;
        const late = samples[at] ?? 0;
        const fed = dry - 0.62 * late;
        samples[at] = fed;
        line.at = at + 1 === samples.length ? 0 : at + 1;
        dry = late + 0.62 * fed;
      }
      let sum = 0;
      for (let n = 0; n < 8; n++) {
        const line = lines[n];
        if (!line) continue;
        const dull = (this.#dull[n] ?? 0) + TREBLE * ((line.samples[line.at] ?? 0) - (this.#dull[n] ?? 0));
        this.#dull[n] = dull;
        values[n] = dull;
        sum += dull;
      }
      const shared = sum * 0.25;
      let [even, uneven] = [0, 0];
      for (let n = 0; n < 8; n++) {
        const line = lines[n];
        if (!line) continue;
        const value = values[n] ?? 0;
        line.samples[line.at] = dry + (value - shared) * (this.#gains[n] ?? 0);
        line.at = line.at + 1 === line.samples.length ? 0 : line.at + 1;
        const signed = n & 2 ? -value : value;
        if (n & 1) uneven += signed;
        else even += signed;
      }
      left[i] = (left[i] ?? 0) + even * this.#level;
      right[i] = (right[i] ?? 0) + uneven * this.#level;
    }
  }
}

/** Echoes that wander from side to side and grow duller. */
export class Echo {
  readonly #left: Float32Array;
  readonly #right: Float32Array;
  #at = 0;
  #dullLeft = 0;
  #dullRight = 0;

  /** @param seconds between two echoes */
  constructor(seconds: number) {
    this.#left = new Float32Array(Math.max(1, Math.round(seconds * SAMPLE_RATE)));
    this.#right = new Float32Array(this.#left.length);
  }

  /** Adds the echoes of `input` to both sides. */
  add(input: Float32Array, left: Float32Array, right: Float32Array): void {
    const { length } = this.#left;
    for (let i = 0; i < input.length; i++) {
      const [first, second] = [this.#left[this.#at] ?? 0, this.#right[this.#at] ?? 0];
      this.#dullLeft += 0.35 * (second - this.#dullLeft);
      this.#dullRight += 0.35 * (first - this.#dullRight);
      this.#left[this.#at] = (input[i] ?? 0) + 0.42 * this.#dullLeft;
      this.#right[this.#at] = 0.85 * this.#dullRight;
      left[i] = (left[i] ?? 0) + first;
      right[i] = (right[i] ?? 0) + second;
      this.#at = this.#at + 1 === length ? 0 : this.#at + 1;
    }
  }
}
