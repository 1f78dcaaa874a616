import type { Wish } from "./task.js";

/** A stream of numbers that depends on nothing but its seed. */
export interface Random {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number;
  between(low: number, high: number): number;
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  /** One of `list`, which must not be empty. */
  pick<T>(list: readonly [T, ...T[]]): T;
  /**
   * A stream of its own for one part of a picture. It depends on the seed and the name only, so that
   * a part that draws more or fewer numbers changes no other part.
   */
  fork(name: string): Random;
}

/** 32 bits of `text`, mixed with `seed` (FNV-1a with a final avalanche). */
export function hashOf(text: string, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) | 0;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A stream (sfc32) seeded with any text. */
export function randomOf(seed: string): Random {
  let a = hashOf(seed, 1);
  let b = hashOf(seed, 2);
  let c = hashOf(seed, 3);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  };
  for (let index = 0; index < 12; index++) next();
  return {
    next,
    between: (low, high) => low + (high - low) * next(),
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    fork: (name) => randomOf(`${seed}/${name}`),
  };
}

/** The random numbers of a wish: its seed, model and words decide all that the words leave open. */
export function randomOfWish({ seed, model, request }: Wish): Random {
  return randomOf(`${seed}\n${model}\n${request.prompt ?? ""}`);
}

/** Smooth noise over the plane, from 0 to 1 around 0.5. */
export interface Noise {
  at(x: number, y: number): number;
  /** `octaves` layers of noise, each twice as fine and half as strong as the one before. */
  fractal(x: number, y: number, octaves: number): number;
}

const SIDE = 256;

/** Value noise with quintic smoothing; the field repeats every 256 units. */
export function noiseOf(random: Random): Noise {
  const lattice = new Float32Array(SIDE * SIDE);
  let state = random.whole(1, 2 ** 31 - 1);
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
      let [sum, weight, strength, px, py] = [0, 0, 1, x, y];
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
