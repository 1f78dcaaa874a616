import { setImmediate as nextTurn } from "node:timers/promises";
import type { Canvas, SKRSContext2D } from "@napi-rs/canvas";
import type { EncodedVideoChunk } from "@napi-rs/webcodecs";
import { SAMPLE_RATE, type Stereo } from "../music/synth.js";
import { RenderError } from "../task.js";

/** Pictures a second of every video. */
export const FRAME_RATE = 24;

interface VideoSize {
  width: number;
  height: number;
}

/** What a video is made of. */
export interface Film {
  canvas: Canvas;
  count: number;
  /** Paints a picture over the whole canvas, from 0 to before `count`, in this order. */
  paint(ctx: SKRSContext2D, index: number): void;
  /** Left and right, of 44.1 kHz. */
  sound: Stereo | undefined;
}

/**
 * Encodes a film: MP4 with H.264 yuv420p at 24 pictures a second, and AAC. The same film gives the same bytes on one
 * machine.
 * @throws RenderError `provider` without an encoder, and Error when the encoder fails
 */
export async function encodeMp4({ canvas, count, paint, sound }: Film): Promise<Uint8Array> {
  const codecs = await loadCodecs();
  const pictures = await recordPictures(codecs, canvas, count, paint);
  return packMp4(codecs, canvas, pictures, sound && (await recordSound(codecs, sound)));
}

/** The libraries that encode and pack a video. */
interface Codecs {
  webcodecs: typeof import("@napi-rs/webcodecs");
  mediabunny: typeof import("mediabunny");
}

/**
 * Loads the libraries. Done only when a video is made: the encoder is native, and where its binary is
 * missing pictures still work.
 * @throws RenderError `provider`
 */
async function loadCodecs(): Promise<Codecs> {
  try {
    const [webcodecs, mediabunny] = await Promise.all([import("@napi-rs/webcodecs"), import("mediabunny")]);
    return { webcodecs, mediabunny };
  } catch (error) {
    const message = "this machine has no video encoder: @napi-rs/webcodecs cannot be loaded";
    throw new RenderError("provider", message, { cause: error });
  }
}

/** Pictures that may wait for the encoder, and how much memory they may take in bytes. */
const QUEUE_MAX = 2;
const QUEUE_BYTES_MAX = 32 * 1024 ** 2;
/** Seconds between two pictures that a player can start from. */
const KEY_FRAME_SEC = 2;
const MICROSECONDS = 1e6;

/** H.264 High, at the lowest level that covers the size at 24 pictures a second (ITU-T H.264, table A-1). */
function h264CodecOf({ width, height }: VideoSize): string {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16);
  const level = blocks <= 3600 ? "1f" : blocks <= 8192 ? "28" : blocks <= 36_864 ? "33" : "3c";
  return `avc1.6400${level}`;
}

/** One encoded picture. */
interface VideoPacket {
  data: Uint8Array;
  isKey: boolean;
  /** Its place in the film, from 0. */
  index: number;
}

interface Recording {
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
async function recordPictures(
  { webcodecs }: Codecs,
  canvas: Canvas,
  count: number,
  paint: (ctx: SKRSContext2D, index: number) => void,
): Promise<Recording> {
  const { width, height } = canvas;
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
      paint(ctx, index);
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

/** Samples of one AAC packet, and of the silence that the encoder puts before the sound. */
const PACKET_SAMPLES = 1024;
const PRIMING_SAMPLES = 1024;
const SOUND_BIT_RATE = 128_000;

interface SoundPacket {
  data: Uint8Array;
  /** Start in seconds, below zero for what the encoder put before the sound; a player leaves it out. */
  startSec: number;
  durationSec: number;
}

interface SoundRecording {
  packets: readonly SoundPacket[];
  decoderConfig: { codec: string; sampleRate: number; numberOfChannels: number; description: Uint8Array };
}

/**
 * Encodes sound as AAC LC. The packets end exactly where the sound does.
 * @throws Error when the encoder fails
 */
async function recordSound({ webcodecs }: Codecs, sound: Stereo): Promise<SoundRecording> {
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
    encoder.configure({ ...format, bitrate: SOUND_BIT_RATE });
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

/**
 * Pictures are converted with the matrix of SD video and narrow range, whatever the encoder says of itself
 * (it names the RGB that it was given), so that is what the file has to say.
 */
const COLOUR_SPACE = {
  primaries: "bt709",
  transfer: "bt709",
  matrix: "smpte170m",
  fullRange: false,
} as const;

/**
 * Packs a film and its sound into an MP4 file that can be played while it loads: all that describes it
 * stands before the pictures and the sound.
 */
async function packMp4(
  { mediabunny }: Codecs,
  { width, height }: VideoSize,
  film: Recording,
  sound: SoundRecording | undefined,
): Promise<Uint8Array> {
  const { Output, Mp4OutputFormat, BufferTarget, EncodedVideoPacketSource, EncodedAudioPacketSource } =
    mediabunny;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const video = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(video, { frameRate: FRAME_RATE });
  const audio = sound && new EncodedAudioPacketSource("aac");
  if (audio) output.addAudioTrack(audio);
  await output.start();

  const { codec, description } = film;
  const decoderConfig = {
    codec,
    description,
    codedWidth: width,
    codedHeight: height,
    colorSpace: COLOUR_SPACE,
  };
  const { EncodedPacket } = mediabunny;
  const pictures = film.packets.map(({ data, isKey, index }) => {
    const packet = new EncodedPacket(data, isKey ? "key" : "delta", index / FRAME_RATE, 1 / FRAME_RATE);
    return { at: packet.timestamp, add: () => video.add(packet, { decoderConfig }) };
  });
  const sounds = (sound?.packets ?? []).map(({ data, startSec, durationSec }) => {
    const packet = new EncodedPacket(data, "key", startSec, durationSec);
    return { at: startSec, add: () => audio?.add(packet, sound && { decoderConfig: sound.decoderConfig }) };
  });
  // In the order of their times, so that a player finds both close together.
  const packets = [...pictures, ...sounds].sort((one, other) => one.at - other.at);
  await Promise.all(packets.map(({ add }) => add()));
  await output.finalize();
  const file = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  clearDates(file);
  return file;
}

/** Boxes that begin with version, flags, creation and modification time. */
const DATED = ["mvhd", "tkhd", "mdhd"];

/**
 * Clears the dates of creation and modification in an MP4 file, in place, so that the same film gives the same bytes on
 * any day. Zero stands for an unknown date. What describes the film stands before its packets, in one box.
 */
function clearDates(file: Uint8Array): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const start = bytes.indexOf("moov");
  const head = bytes.subarray(start, start - 4 + bytes.readUInt32BE(start - 4));
  for (const name of DATED) {
    for (let at = head.indexOf(name); at >= 0; at = head.indexOf(name, at + 1)) {
      const isLong = head[at + 4] === 1;
      head.fill(0, at + 8, at + (isLong ? 24 : 16));
    }
  }
}
