import type { Random } from "../random.js";
import { SAMPLE_RATE, type Stereo } from "./sound-recorder.js";

/** Noise between two frequencies that comes and goes: waves, wind, rain, a distant road. */
export interface NoiseBed {
  lowHz: number;
  highHz: number;
  level: number;
  /** Seconds from one swell to the next. */
  swellSec: number;
  /** How much of it comes and goes: 0 none, 1 all. */
  depth: number;
}

/** How much of a filter's input passes in one sample. */
const shareOf = (hertz: number): number => 1 - Math.exp((-2 * Math.PI * hertz) / SAMPLE_RATE);

export function addNoise(sound: Stereo, bed: NoiseBed, random: Random): void {
  const { lowHz, highHz, level, swellSec, depth } = bed;
  const phase = random.next() * Math.PI * 2;
  const [low, high] = [shareOf(lowHz), shareOf(highHz)];
  for (const [side, channel] of sound.entries()) {
    let first = 0;
    let second = 0;
    let floor = 0;
    for (let index = 0; index < channel.length; index++) {
      const seconds = index / SAMPLE_RATE;
      // Two swells that do not repeat together, a little apart on both sides.
      const turn = ((seconds + side * 0.22) * Math.PI * 2) / swellSec + phase;
      const swell = 0.5 + 0.32 * Math.sin(turn) + 0.18 * Math.sin(turn * 0.63 + 2);
      const open = high * (0.35 + 0.65 * swell);
      first += (random.next() * 2 - 1 - first) * open;
      second += (first - second) * open;
      floor += (second - floor) * low;
      channel[index] = (channel[index] ?? 0) + (second - floor) * level * (1 - depth + depth * swell * swell);
    }
  }
}
