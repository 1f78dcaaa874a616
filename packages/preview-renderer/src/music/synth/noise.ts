/** The state after this one (xorshift), from anything but 0. */
export function nextNoise(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}

/** Times a state it is a sample of -1 to 1. */
export const NOISE_SCALE = 1 / 2 ** 31;
