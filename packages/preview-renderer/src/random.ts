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
