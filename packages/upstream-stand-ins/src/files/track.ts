import { createHash } from "node:crypto";
import type { AudioSpec } from "./file-spec.js";

const SAMPLE_RATE = 44_100;
const FRAME_SAMPLES = 1152;
const BITRATE_KBPS = 64;
/** The phrase that is repeated, in frames: about four seconds. */
const PHRASE_FRAMES = 160;
const NOTES = [0, 3, 5, 7, 10, 12] as const;

/** An MP3 of the right length: a phrase of a few notes over and over, after a tag with its title. */
export async function makeTrack(spec: AudioSpec): Promise<Buffer> {
  const { createMp3Encoder } = await import("wasm-media-encoders");
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate: SAMPLE_RATE, bitrate: BITRATE_KBPS });
  const phrase = Buffer.concat([
    Buffer.from(encoder.encode([phraseOf(spec.about)])),
    Buffer.from(encoder.finalize()),
  ]);
  const phraseFrames = framesOf(phrase);
  const wanted = Math.round((spec.durationSec * SAMPLE_RATE) / FRAME_SAMPLES);
  const repeated = Array.from({ length: wanted }, (_, index) => phraseFrames[index % phraseFrames.length]);
  return Buffer.concat([tagOf(spec.title), ...repeated.filter((frame) => frame !== undefined)]);
}

function phraseOf(about: string): Float32Array {
  const hash = createHash("sha256").update(about).digest();
  const samples = new Float32Array(PHRASE_FRAMES * FRAME_SAMPLES);
  const noteLength = Math.floor(samples.length / 8);
  for (let index = 0; index < samples.length; index++) {
    const note = Math.min(7, Math.floor(index / noteLength));
    const tone = NOTES[(hash[note] ?? 0) % NOTES.length] ?? 0;
    const frequency = 220 * 2 ** (tone / 12);
    const fade = Math.exp((-3 * (index % noteLength)) / noteLength);
    samples[index] = 0.3 * fade * Math.sin((2 * Math.PI * frequency * index) / SAMPLE_RATE);
  }
  return samples;
}

/** Splits a stream of MPEG-1 layer III of constant bitrate. */
function framesOf(stream: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at + 4 <= stream.length; ) {
    const padding = ((stream[at + 2] ?? 0) >> 1) & 1;
    const length = Math.floor((144 * BITRATE_KBPS * 1000) / SAMPLE_RATE) + padding;
    if (at + length > stream.length) break;
    frames.push(stream.subarray(at, at + length));
    at += length;
  }
  return frames;
}

/** ID3v2.3 with the title. */
function tagOf(title: string): Buffer {
  const words = Buffer.from(title, "utf16le");
  const body = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), words]);
  const frame = Buffer.alloc(10);
  frame.write("TIT2", 0, "latin1");
  frame.writeUInt32BE(body.length, 4);
  const size = frame.length + body.length;
  const head = Buffer.from([
    0x49,
    0x44,
    0x33,
    3,
    0,
    0,
    size >> 21,
    (size >> 14) & 127,
    (size >> 7) & 127,
    size & 127,
  ]);
  return Buffer.concat([head, frame, body]);
}
