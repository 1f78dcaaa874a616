import { createCanvas } from "@napi-rs/canvas";
import { VideoEncoder, VideoFrame } from "@napi-rs/webcodecs";
import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from "mediabunny";
import { createMp3Encoder } from "wasm-media-encoders";

const FRAMES_PER_SEC = 8;
const SAMPLE_RATE = 44_100;

/**
 * A true MPEG-4 video with H.264 of a colour that changes. Sides are even numbers.
 * @param index where it stands: in front, at the end, or in fragments
 */
export async function makeMp4(
  width: number,
  height: number,
  durationSec: number,
  index: "in-memory" | false | "fragmented" = "in-memory",
): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: index }), target });
  const source = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(source, { frameRate: FRAMES_PER_SEC });
  await output.start();
  await encode(source, { width, height, frames: durationSec * FRAMES_PER_SEC });
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

interface Clip {
  width: number;
  height: number;
  frames: number;
}

async function encode(source: EncodedVideoPacketSource, { width, height, frames }: Clip): Promise<void> {
  const frameUs = 1e6 / FRAMES_PER_SEC;
  let written = Promise.resolve();
  const encoder = new VideoEncoder({
    output: (chunk, metadata) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      const packet = new EncodedPacket(bytes, chunk.type, chunk.timestamp / 1e6, frameUs / 1e6);
      const { decoderConfig } = metadata ?? {};
      written = written.then(() =>
        source.add(packet, decoderConfig && { decoderConfig: decoderConfig as VideoDecoderConfig }),
      );
    },
    error: (error) => {
      written = Promise.reject(error);
    },
  });
  encoder.configure({ codec: "avc1.42E01E", width, height, framerate: FRAMES_PER_SEC, bitrate: 400_000 });
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  for (let frame = 0; frame < frames; frame += 1) {
    context.fillStyle = `hsl(${(frame * 360) / frames} 60% 50%)`;
    context.fillRect(0, 0, width, height);
    const picture = new VideoFrame(canvas, { timestamp: frame * frameUs, duration: frameUs });
    encoder.encode(picture, { keyFrame: frame === 0 });
    picture.close();
  }
  await encoder.flush();
  encoder.close();
  await written;
}

/** A true MP3 in mono: one long tone. */
export async function makeMp3(durationSec: number, hertz = 440): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: SAMPLE_RATE, channels: 1, bitrate: 64 });
  const samples = new Float32Array(durationSec * SAMPLE_RATE);
  for (const at of samples.keys()) samples[at] = Math.sin((2 * Math.PI * hertz * at) / SAMPLE_RATE) / 4;
  // The encoder uses one buffer for every answer.
  const body = Buffer.from(encoder.encode([samples]));
  return Buffer.concat([body, Buffer.from(encoder.finalize())]);
}

/** A true JPEG of one colour. */
export function makeJpeg(side: number): Buffer {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext("2d");
  context.fillStyle = "#b5653a";
  context.fillRect(0, 0, side, side);
  return canvas.toBuffer("image/jpeg");
}
