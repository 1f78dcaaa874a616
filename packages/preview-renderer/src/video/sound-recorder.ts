import { RenderError } from "../render-error.js";
import type { Codecs } from "./codecs.js";

/** Samples a second of the sound of every video. */
export const SAMPLE_RATE = 48_000;

/** Samples of one AAC packet, and of the silence that the encoder puts before the sound. */
const PACKET_SAMPLES = 1024;
const PRIMING_SAMPLES = 1024;
const BIT_RATE = 128_000;

/** Two channels of equally many samples from −1 to 1. */
export type Stereo = readonly [left: Float32Array, right: Float32Array];

interface SoundPacket {
  data: Uint8Array;
  /** Start in seconds, below zero for what the encoder put before the sound; a player leaves it out. */
  startSec: number;
  durationSec: number;
}

export interface SoundRecording {
  packets: readonly SoundPacket[];
  decoderConfig: { codec: string; sampleRate: number; numberOfChannels: number; description: Uint8Array };
}

/**
 * Encodes sound as AAC LC. The packets end exactly where the sound does.
 * @throws Error when the encoder fails
 */
export async function recordSound({ webcodecs }: Codecs, sound: Stereo): Promise<SoundRecording> {
  const encoded: Uint8Array[] = [];
  let description: Uint8Array | undefined;
  let failure: Error | undefined;
  const format = { codec: "mp4a.40.2", sampleRate: SAMPLE_RATE, numberOfChannels: sound.length };
  const encoder = new webcodecs.AudioEncoder({
    output(chunk, metadata) {
      description ??= metadata?.decoderConfig?.description;
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      encoded.push(data);
    },
    error(error) {
      failure ??= error;
    },
  });
  try {
    encoder.configure({ ...format, bitrate: BIT_RATE });
    const [{ length }] = sound;
    for (let start = 0; start < length; start += SAMPLE_RATE) {
      const part = sound.map((channel) => channel.subarray(start, start + SAMPLE_RATE));
      const frames = Math.min(SAMPLE_RATE, length - start);
      const data = new Float32Array(frames * part.length);
      for (const [index, channel] of part.entries()) data.set(channel, index * frames);
      const piece = new webcodecs.AudioData({
        format: "f32-planar",
        sampleRate: SAMPLE_RATE,
        numberOfFrames: frames,
        numberOfChannels: part.length,
        timestamp: Math.round((start * 1e6) / SAMPLE_RATE),
        data,
      });
      encoder.encode(piece);
      piece.close();
    }
    await encoder.flush();
  } finally {
    encoder.close();
  }
  if (failure) throw failure;
  if (!description) throw new RenderError("provider", "the encoder gave no sound");
  return { packets: timed(encoded, sound[0].length), decoderConfig: { ...format, description } };
}

/** Gives the packets their times, and leaves out what lies behind the end of the sound. */
function timed(encoded: readonly Uint8Array[], length: number): SoundPacket[] {
  const packets: SoundPacket[] = [];
  for (const [index, data] of encoded.entries()) {
    const start = index * PACKET_SAMPLES - PRIMING_SAMPLES;
    const samples = Math.min(PACKET_SAMPLES, length - start);
    if (samples > 0)
      packets.push({ data, startSec: start / SAMPLE_RATE, durationSec: samples / SAMPLE_RATE });
  }
  return packets;
}
