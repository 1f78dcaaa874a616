import { SAMPLE_RATE } from "./samples.js";

/** The first filter of the K-weighting: the lift of the treble by a head (ITU-R BS.1770-5, annex 1). */
function shelf() {
  const k = Math.tan((Math.PI * 1681.974450955533) / SAMPLE_RATE);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b0: (high + (middle * k) / q + k * k) / a0,
    b1: (2 * (k * k - high)) / a0,
    b2: (high - (middle * k) / q + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

/** The second one, whose numerator is 1, -2, 1: takes away what is too low to be heard as loud. */
function highPass() {
  const k = Math.tan((Math.PI * 38.13547087602444) / SAMPLE_RATE);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return { a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}

/** The K-weighting of one side. */
class Weighting {
  readonly #shelf = shelf();
  readonly #pass = highPass();
  #state: readonly [number, number, number, number] = [0, 0, 0, 0];

  /** Writes the square of each weighted sample. */
  squares(samples: Float32Array, out: Float64Array): void {
    const { b0, b1, b2, a1, a2 } = this.#shelf;
    const { a1: c1, a2: c2 } = this.#pass;
    let [s1, s2, p1, p2] = this.#state;
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i] ?? 0;
      const lifted = b0 * sample + s1;
      s1 = b1 * sample - a1 * lifted + s2;
      s2 = b2 * sample - a2 * lifted;
      const heard = lifted + p1;
      p1 = -2 * lifted - c1 * heard + p2;
      p2 = lifted - c2 * heard;
      out[i] = heard * heard;
    }
    this.#state = [s1, s2, p1, p2];
  }
}

/** Gating blocks of 400 ms begin every 100 ms. */
const STEP_SAMPLES = SAMPLE_RATE / 10;
const STEPS_PER_BLOCK = 4;
const OFFSET = -0.691;
/** Blocks softer than this many LUFS, or than this many LU below the mean of the others, do not count. */
const GATE_ABSOLUTE = -70;
const GATE_RELATIVE = -10;

const loudnessOf = (power: number): number => OFFSET + 10 * Math.log10(power);

/** Measures the integrated loudness of stereo sound of 44.1 kHz (ITU-R BS.1770-5, EBU R 128). */
export class LoudnessMeter {
  readonly #left = new Weighting();
  readonly #right = new Weighting();
  /** Sums of the squares of each 100 ms. */
  readonly #steps: number[] = [];
  #sum = 0;
  #count = 0;

  /** Takes samples of -1 to 1, as many of each side. */
  add(left: Float32Array, right: Float32Array): void {
    const [l, r] = [new Float64Array(left.length), new Float64Array(left.length)];
    this.#left.squares(left, l);
    this.#right.squares(right, r);
    for (let i = 0; i < l.length; i++) {
      this.#sum += (l[i] ?? 0) + (r[i] ?? 0);
      if (++this.#count < STEP_SAMPLES) continue;
      this.#steps.push(this.#sum);
      this.#sum = 0;
      this.#count = 0;
    }
  }

  /** The loudness of all that was taken, in LUFS; `-Infinity` for silence and for less than 400 ms. */
  integrated(): number {
    const powers: number[] = [];
    for (let end = STEPS_PER_BLOCK; end <= this.#steps.length; end++) {
      const block = this.#steps.slice(end - STEPS_PER_BLOCK, end);
      powers.push(block.reduce((sum, step) => sum + step, 0) / (STEP_SAMPLES * STEPS_PER_BLOCK));
    }
    const heard = powers.filter((power) => loudnessOf(power) > GATE_ABSOLUTE);
    const gate = loudnessOf(meanOf(heard)) + GATE_RELATIVE;
    return loudnessOf(meanOf(heard.filter((power) => loudnessOf(power) > gate)));
  }
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
