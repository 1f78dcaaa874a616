import { SAMPLE_RATE } from "./samples.js";

/** A guitar amplifier for one side: distortion, then a loudspeaker without deep bass and treble. */
export class Drive {
  readonly #strength: number;
  #low = 0;
  #first = 0;
  #second = 0;
  #third = 0;

  /** @param strength 0 clean, 1 roaring */
  constructor(strength: number) {
    this.#strength = strength;
  }

  /** Changes the samples in place. */
  apply(samples: Float32Array): void {
    const gain = 1 + 26 * this.#strength ** 2;
    const level = 1 / (1 + 1.6 * this.#strength);
    const deep = 1 - Math.exp((-2 * Math.PI * 95) / SAMPLE_RATE);
    const treble = 1 - Math.exp((-2 * Math.PI * (7500 - 2600 * this.#strength)) / SAMPLE_RATE);
    let [low, first, second, third] = [this.#low, this.#first, this.#second, this.#third];
    for (let i = 0; i < samples.length; i++) {
      const dry = samples[i] ?? 0;
      low += deep * (dry - low);
      const loud = (dry - low) * gain;
      // A rational curve close to tanh, cut where it would turn.
      const cut = loud > 3 ? 3 : Math.max(loud, -3);
      const bent = (cut * (27 + cut * cut)) / (27 + 9 * cut * cut);
      first += treble * (bent * level - first);
      second += treble * (first - second);
      third += treble * (second - third);
      samples[i] = third;
    }
    [this.#low, this.#first, this.#second, this.#third] = [low, first, second, third];
  }
}
