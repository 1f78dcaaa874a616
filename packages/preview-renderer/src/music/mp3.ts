import { open } from "node:fs/promises";
import { SAMPLE_RATE } from "./synth/samples.js";

const BITRATE_KBPS = 192;
/** Samples of one frame of MPEG-1 layer III. */
export const FRAME_SAMPLES = 1152;
/** Frames' worth of samples that go to the encoder at once: about half a second. */
const BATCH_BLOCKS = 20;

/** How many frames come nearest to so many seconds. */
export function framesOf(seconds: number): number {
  return Math.round((seconds * SAMPLE_RATE) / FRAME_SAMPLES);
}

/** The length of so many frames, in seconds. */
export function secondsOf(frames: number): number {
  return (frames * FRAME_SAMPLES) / SAMPLE_RATE;
}

/**
 * Writes an MP3 of 192 kbit/s: the tag, then the music as it comes. The encoder adds one frame to the
 * blocks, in which its own delay (1105 samples with the decoder's) finds room; no block is lost.
 * @param blocks left and right, 1152 samples each
 */
export async function writeMp3(
  path: string,
  tag: Uint8Array,
  blocks: Iterable<[Float32Array, Float32Array]>,
): Promise<void> {
  const { createMp3Encoder } = await import("wasm-media-encoders");
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 2, sampleRate: SAMPLE_RATE, bitrate: BITRATE_KBPS });
  const file = await open(path, "w");
  try {
    await file.writeFile(tag);
    for (const batch of batchesOf(blocks)) await file.writeFile(encoder.encode(batch));
    await file.writeFile(encoder.finalize());
  } finally {
    await file.close();
  }
}

/** Joins blocks; the arrays are filled anew for the next batch. */
function* batchesOf(blocks: Iterable<[Float32Array, Float32Array]>): Generator<[Float32Array, Float32Array]> {
  const size = BATCH_BLOCKS * FRAME_SAMPLES;
  const [left, right] = [new Float32Array(size), new Float32Array(size)];
  let filled = 0;
  for (const block of blocks) {
    left.set(block[0], filled);
    right.set(block[1], filled);
    filled += FRAME_SAMPLES;
    if (filled < size) continue;
    yield [left, right];
    filled = 0;
  }
  if (filled > 0) yield [left.subarray(0, filled), right.subarray(0, filled)];
}
