import { NOISE_SCALE, nextNoise } from "./noise.js";
import { SAMPLE_RATE } from "./samples.js";

const WOW_HERTZ = 0.55;
const WOW_SAMPLES = 90;

/** An old tape or record: wavering pitch, little treble, crackles. */
export class Tape {
  readonly #dust: number;
  readonly #sides = [0, 1].map(() => ({ line: new Float32Array(256), first: 0, second: 0 }));
  #samples = 0;
  #state = 0x51ed270b;
  #crackle = 0;

  /** @param dust 0 to 1 */
  constructor(dust: number) {
    this.#dust = dust;
  }

  /** Changes both sides in place. */
  apply(left: Float32Array, right: Float32Array): void {
    const treble = 1 - Math.exp((-2 * Math.PI * (12_000 - 8200 * this.#dust)) / SAMPLE_RATE);
    const chance = 7 / SAMPLE_RATE;
    for (let i = 0; i < left.length; i++) {
      const time = (this.#samples + i) / SAMPLE_RATE;
      const delay = 2 + WOW_SAMPLES * this.#dust * (1 + Math.sin(2 * Math.PI * WOW_HERTZ * time));
      this.#state = nextNoise(this.#state);
      const random = 0.5 + 0.5 * this.#state * NOISE_SCALE;
      if (random < chance) this.#crackle = 0.09 * this.#dust * (0.3 + random / chance);
      this.#crackle *= -0.72;
      const hiss = (random - 0.5) * 0.006 * this.#dust;
      for (let side = 0; side < 2; side++) {
        const out = side === 0 ? left : right;
        const own = this.#sides[side];
        if (!own) continue;
        const at = (this.#samples + i) & 255;
        own.line[at] = out[i] ?? 0;
        const whole = Math.floor(delay);
        const newer = own.line[(at - whole) & 255] ?? 0;
        const older = own.line[(at - whole - 1) & 255] ?? 0;
        own.first += treble * (newer + (delay - whole) * (older - newer) - own.first);
        own.second += treble * (own.first - own.second);
        out[i] = own.second + this.#crackle + hiss;
      }
    }
    this.#samples += left.length;
  }
}
