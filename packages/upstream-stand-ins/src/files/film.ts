import { setImmediate as nextTurn } from "node:timers/promises";
import { createCanvas } from "@napi-rs/canvas";
import type { VideoSpec } from "./file-spec.js";
import { paintLabel } from "./label.js";
import { paint } from "./picture.js";

const PICTURES_MAX = 48;
/** Limits all pictures of a film together: what is large has few. */
const PIXELS_MAX = 48e6;
const BITRATE = 400_000;
const FRAME_RATE_MAX = 8;
const MICROSECONDS = 1e6;

/** An H.264 film of the right sides and length, with few pictures a second. */
export async function makeFilm(spec: VideoSpec, maker: string): Promise<Buffer> {
  const { VideoEncoder, VideoFrame } = await import("@napi-rs/webcodecs");
  const { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } = await import(
    "mediabunny"
  );
  const { width, height, durationSec } = spec;
  const picturesMax = Math.min(PICTURES_MAX, PIXELS_MAX / (width * height));
  const rate = Math.max(1, Math.min(FRAME_RATE_MAX, Math.floor(picturesMax / durationSec)));
  const count = Math.round(durationSec * rate);
  const codec = codecOf(width, height);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const track = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(track, { frameRate: rate });
  await output.start();

  const packets: { data: Uint8Array; isKey: boolean; index: number }[] = [];
  let description: Uint8Array | undefined;
  let failure: Error | undefined;
  const encoder = new VideoEncoder({
    output(chunk, metadata) {
      description ??= metadata?.decoderConfig?.description;
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      const index = Math.round((chunk.timestamp * rate) / MICROSECONDS);
      packets.push({ data, isKey: chunk.type === "key", index });
    },
    error(error) {
      failure ??= error;
    },
  });
  try {
    encoder.configure({ codec, width, height, framerate: rate, bitrate: BITRATE, avc: { format: "avc" } });
    const canvas = createCanvas(width, height);
    for (let index = 0; index < count && !failure; index++) {
      paint(canvas, spec.about, index / count);
      paintLabel(canvas, maker);
      const frame = new VideoFrame(canvas, { timestamp: Math.round((index * MICROSECONDS) / rate) });
      encoder.encode(frame, { keyFrame: index % rate === 0 });
      frame.close();
      await nextTurn();
    }
    await encoder.flush();
  } finally {
    encoder.close();
  }
  if (failure || !description) throw failure ?? new Error("the encoder gave nothing");
  packets.sort((a, b) => a.index - b.index);
  const decoderConfig = { codec, description, codedWidth: width, codedHeight: height };
  for (const { data, isKey, index } of packets) {
    const packet = new EncodedPacket(data, isKey ? "key" : "delta", index / rate, 1 / rate);
    await track.add(packet, { decoderConfig });
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

/** H.264 High at a level that covers the size. */
function codecOf(width: number, height: number): string {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const level = blocks <= 3600 ? "1f" : blocks <= 8192 ? "28" : blocks <= 36_864 ? "33" : "3c";
  return `avc1.6400${level}`;
}
