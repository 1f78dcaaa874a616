import { setImmediate as nextTurn } from "node:timers/promises";
import type { Canvas } from "@napi-rs/canvas";
import type { EncodedVideoChunk } from "@napi-rs/webcodecs";
import { RenderError } from "../render-error.js";
import type { Codecs } from "./codecs.js";
import { type Film, FRAME_RATE, frameCountOf, momentOf } from "./film.js";
import type { VideoSize } from "./video-size.js";

/** Pictures that may wait for the encoder, and how much memory they may take in bytes. */
const QUEUE_MAX = 2;
const QUEUE_BYTES_MAX = 32 * 1024 ** 2;
/** Seconds between two pictures that a player can start from. */
const KEY_FRAME_SEC = 2;
const MICROSECONDS = 1e6;

/** H.264 High, at the lowest level that covers the size at 24 pictures a second (ITU-T H.264, table A-1). */
export function h264CodecOf({ width, height }: VideoSize): string {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const level = blocks <= 3600 ? "1f" : blocks <= 8192 ? "28" : blocks <= 36_864 ? "33" : "3c";
  return `avc1.6400${level}`;
}

/** One encoded picture. */
export interface VideoPacket {
  data: Uint8Array;
  isKey: boolean;
  /** Its place in the film, from 0. */
  index: number;
}

export interface Recording {
  packets: readonly VideoPacket[];
  codec: string;
  /** The decoder's configuration record (avcC). */
  description: Uint8Array;
}

/**
 * Paints and encodes a film, a few pictures at a time. The same film gives the same packets: the encoder
 * aims at a constant quality, so that nothing depends on how fast its threads are.
 * @throws Error when the encoder fails
 */
export async function record(
  { webcodecs }: Codecs,
  film: Film,
  canvas: Canvas,
  durationSec: number,
): Promise<Recording> {
  const { width, height } = canvas;
  const count = frameCountOf(durationSec);
  const queueMax = Math.min(QUEUE_MAX, Math.floor(QUEUE_BYTES_MAX / (width * height * 4)));
  const codec = h264CodecOf({ width, height });
  const packets: VideoPacket[] = [];
  let description: Uint8Array | undefined;
  let failure: Error | undefined;
  let wake = (): void => {};
  const encoder = new webcodecs.VideoEncoder({
    output(chunk, metadata) {
      description ??= metadata?.decoderConfig?.description;
      packets.push(packetOf(chunk));
    },
    error(error) {
      failure ??= error;
      wake();
    },
  });
  encoder.ondequeue = () => wake();
  try {
    encoder.configure({
      codec,
      width,
      height,
      framerate: FRAME_RATE,
      latencyMode: "quality",
      bitrateMode: "quantizer",
      avc: { format: "avc" },
    });
    const ctx = canvas.getContext("2d");
    for (let index = 0; index < count && !failure; index++) {
      film.paint(ctx, momentOf(index, count));
      const timestamp = Math.round((index * MICROSECONDS) / FRAME_RATE);
      const frame = new webcodecs.VideoFrame(canvas, { timestamp });
      encoder.encode(frame, { keyFrame: index % (KEY_FRAME_SEC * FRAME_RATE) === 0 });
      frame.close();
      // Only between turns of the event loop are the pixels given back that were copied for the encoder.
      await nextTurn();
      // This wait does not keep the process alive; the renderer's channel to the service does.
      while (encoder.encodeQueueSize > queueMax && !failure) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (!failure) await encoder.flush();
  } finally {
    encoder.close();
  }
  if (failure) throw failure;
  if (!description || packets.length !== count) {
    throw new RenderError("provider", `the encoder gave ${packets.length} of ${count} pictures`);
  }
  return { packets, codec, description };
}

function packetOf(chunk: EncodedVideoChunk): VideoPacket {
  const data = new Uint8Array(chunk.byteLength);
  chunk.copyTo(data);
  const index = Math.round((chunk.timestamp * FRAME_RATE) / MICROSECONDS);
  return { data, isKey: chunk.type === "key", index };
}
