import { SAMPLE_RATE } from "./samples.js";

/** Samples that share one measurement of the peak. */
const CHUNK = 64;
/** The loudest sample that leaves the limiter: -2.6 dBFS, so that no decoder of the MP3 goes beyond -1. */
const CEILING = 0.74;
const RELEASE_SECONDS = 0.18;

/**
 * Keeps peaks below the ceiling by turning the music down before they come. A block leaves it when the
 * next one has gone in.
 */
export class Limiter {
  readonly #blockSize: number;
  #waiting: [Float32Array, Float32Array] | undefined;
  #waitingLimits: number[] = [];
  #gain = 1;

  /** @param blockSize samples of every block, a multiple of 64 */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  /** Takes a block, or nothing at the end, and gives back the one before, which it keeps no longer. */
  pass(block: [Float32Array, Float32Array] | undefined): [Float32Array, Float32Array] | undefined {
    const limits = block ? this.#limitsOf(block) : [];
    const ready = this.#waiting;
    if (ready) this.#turnDown(ready, this.#waitingLimits, limits);
    this.#waiting = block;
    this.#waitingLimits = limits;
    return ready;
  }

  /** The highest gain that each chunk bears. */
  #limitsOf([left, right]: [Float32Array, Float32Array]): number[] {
    return Array.from({ length: this.#blockSize / CHUNK }, (_, chunk) => {
      let peak = 0;
      for (let i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++) {
        peak = Math.max(peak, Math.abs(left[i] ?? 0), Math.abs(right[i] ?? 0));
      }
      return peak > CEILING ? CEILING / peak : 1;
    });
  }

  #turnDown(
    [left, right]: [Float32Array, Float32Array],
    limits: readonly number[],
    coming: readonly number[],
  ): void {
    const release = 1 - Math.exp(-CHUNK / (RELEASE_SECONDS * SAMPLE_RATE));
    const all = [...limits, ...coming];
    for (let chunk = 0; chunk < limits.length; chunk++) {
      // The gain at the end of this chunk suits this one and the next, and already leans to those after.
      let target = Math.min(all[chunk] ?? 1, this.#gain + release * (1 - this.#gain));
      for (let ahead = 1; ahead <= 12 && chunk + ahead < all.length; ahead++) {
        const limit = all[chunk + ahead] ?? 1;
        target = Math.min(target, limit + (1 - limit) * ((ahead - 1) / 12));
      }
      const begin = Math.min(this.#gain, limits[chunk] ?? 1);
      const slope = (target - begin) / CHUNK;
      for (let n = 0; n < CHUNK; n++) {
        const i = chunk * CHUNK + n;
        const gain = begin + slope * n;
        left[i] = (left[i] ?? 0) * gain;
        right[i] = (right[i] ?? 0) * gain;
      }
      this.#gain = target;
    }
  }
}
