import type { SKRSContext2D } from "@napi-rs/canvas";

/** Pictures a second of every video. */
export const FRAME_RATE = 24;

/** A moment of a film. */
export interface Moment {
  /** 0 is the first picture, 1 the last. */
  share: number;
  /** Seconds since the first picture. */
  seconds: number;
}

/** A picture that changes with time. */
export interface Film {
  /** Paints a moment over the whole picture. Moments may come in any order. */
  paint(ctx: SKRSContext2D, moment: Moment): void;
}

/** How many pictures a film of whole or broken seconds has; at least one. */
export function frameCountOf(durationSec: number): number {
  return Math.max(1, Math.round(durationSec * FRAME_RATE));
}

/** The moment of a picture of a film with `count` pictures. */
export function momentOf(index: number, count: number): Moment {
  return { share: index / Math.max(1, count - 1), seconds: index / FRAME_RATE };
}

/** Sets off and comes to rest a little softly, and moves evenly between. */
export function eased(share: number): number {
  return share * 0.65 + share * share * (3 - 2 * share) * 0.35;
}
