/** What a voice is asked to play. */
export interface Tone {
  hertz: number;
  /** How long the note is held, in seconds; its release comes after. */
  seconds: number;
  /** 0 to 1. */
  level: number;
  /** Makes two equal notes differ a little. */
  seed: number;
}

/** One sounding note. */
export interface Voice {
  /**
   * Writes the next samples into `a` and `b` at `from` (included) to `to` (excluded); `b` is the other
   * side of a wide sound and stays untouched when `isWide` is false. False when the note is over.
   */
  play(a: Float32Array, b: Float32Array, from: number, to: number): boolean;
  readonly isWide: boolean;
}
