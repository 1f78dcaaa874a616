import { hashOf } from "./random.js";

/** Smooth noise over the plane, from 0 to 1 around 0.5. */
interface Noise {
  at(x: number, y: number): number;
  /** `octaves` layers of noise, each twice as fine and half as strong as the one before. */
  fractal(x: number, y: number, octaves: number): number;
}

const SIDE = 256;

/** Value noise with quintic smoothing; the field repeats every 256 units. */
export function noiseOf(seed: string): Noise {
  const lattice = new Float32Array(SIDE * SIDE);
  let state = hashOf(seed, 7) | 1;
  for (let index = 0; index < lattice.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    lattice[index] = (state >>> 0) / 4294967296;
  }
  const value = (x: number, y: number): number => lattice[((y & 255) << 8) | (x & 255)] ?? 0;
  const at = (x: number, y: number): number => {
    const left = Math.floor(x);
    const top = Math.floor(y);
    const fx = x - left;
    const fy = y - top;
    const sx = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
    const sy = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
    const upper = value(left, top) * (1 - sx) + value(left + 1, top) * sx;
    const lower = value(left, top + 1) * (1 - sx) + value(left + 1, top + 1) * sx;
    return upper * (1 - sy) + lower * sy;
  };
  return {
    at,
    fractal(x, y, octaves) {
      let sum = 0;
      let weight = 0;
      let strength = 1;
      let px = x;
      let py = y;
      for (let octave = 0; octave < octaves; octave++) {
        sum += at(px, py) * strength;
        weight += strength;
        strength *= 0.5;
        // Turned a little each time, so that the lattice does not show.
        const turned = px * 1.6 - py * 1.2 + 11.3;
        py = px * 1.2 + py * 1.6 + 5.7;
        px = turned;
      }
      return sum / weight;
    },
  };
}

/** 0 below `low`, 1 above `high`, smooth between them. */
export function smoothStep(low: number, high: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
}
