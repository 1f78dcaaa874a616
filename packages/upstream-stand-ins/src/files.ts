import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { type Canvas, createCanvas, GlobalFonts } from "@napi-rs/canvas";
import { z } from "zod";

const FAMILY = "Stand-in label";
const { resolve } = createRequire(import.meta.url);
const SIZE_MIN_PX = 11;

/** Says in a corner who made the picture, so that nobody takes it for the work of the service itself. */
export function paintLabel(canvas: Canvas, maker: string): void {
  if (!GlobalFonts.has(FAMILY))
    GlobalFonts.register(
      readFileSync(resolve("@fontsource/inter/files/inter-latin-600-normal.woff2")),
      FAMILY,
    );
  const size = Math.max(SIZE_MIN_PX, Math.round(0.05 * Math.min(canvas.width, canvas.height)));
  const text = `stand-in of ${maker}`;
  const ctx = canvas.getContext("2d");
  ctx.font = `${size}px "${FAMILY}"`;
  ctx.textBaseline = "middle";
  const [width, height] = [ctx.measureText(text).width + 1.4 * size, 1.9 * size];
  const [x, y] = [size, canvas.height - size - height];
  ctx.fillStyle = "rgba(12, 13, 15, 0.55)";
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, height / 2);
  ctx.fill();
  ctx.fillStyle = "rgba(255, 255, 255, 0.92)";
  ctx.fillText(text, x + 0.7 * size, y + height / 2);
}

/** Width and height of pictures and films by what a request asks for. */

export interface Sides {
  width: number;
  height: number;
}

/** @param ratio such as `16:9`; anything else is a square */
function quotient(ratio: unknown): number {
  const [wide = 1, high = 1] = typeof ratio === "string" ? ratio.split(":").map(Number) : [];
  const value = wide / high;
  return Number.isFinite(value) && value > 0 ? value : 1;
}

const even = (value: number) => Math.max(16, Math.round(value / 2) * 2);

const IMAGE_SIDES: Readonly<Record<string, number>> = { "0.5K": 512, "1K": 1024, "2K": 2048, "4K": 4096 };

/** Computes sides of about as many pixels as the square of the resolution, in whole sixteens. */
export function imageSides(ratio: unknown, resolution: unknown = "1K"): Sides {
  const side = IMAGE_SIDES[String(resolution).toUpperCase()] ?? 1024;
  const root = Math.sqrt(quotient(ratio));
  const sixteens = (value: number) => Math.max(16, Math.round(value / 16) * 16);
  return { width: sixteens(side * root), height: sixteens(side / root) };
}

const PRESETS: Readonly<Record<string, Sides>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
  auto_1K: { width: 1024, height: 1024 },
  auto_2K: { width: 2048, height: 2048 },
  auto_3K: { width: 3072, height: 3072 },
};

/** `image_size` of fal: a preset or `{width, height}`. */
export function presetSides(size: unknown, otherwise: Sides): Sides {
  if (typeof size === "string") return PRESETS[size] ?? otherwise;
  if (typeof size !== "object" || size === null) return otherwise;
  const { width, height } = size as { width?: unknown; height?: unknown };
  return typeof width === "number" && typeof height === "number" ? { width, height } : otherwise;
}

const VIDEO_SIDES: Readonly<Record<string, number>> = {
  "360p": 360,
  "480p": 480,
  "720p": 720,
  "1080p": 1080,
  "4k": 2160,
};

/** The short side is the resolution. */
export function videoSides(ratio: unknown, resolution: unknown = "720p"): Sides {
  const side = VIDEO_SIDES[String(resolution).toLowerCase()] ?? 720;
  const shape = /^\d+:\d+$/.test(String(ratio)) ? quotient(ratio) : 16 / 9;
  return shape >= 1
    ? { width: even(side * shape), height: side }
    : { width: side, height: even(side / shape) };
}

const sides = { width: z.number(), height: z.number() };

/** What a result is; its bytes are made when they are asked for. */
export const fileSpecSchema = z.discriminatedUnion("kind", [
  z.object({
    id: z.string(),
    kind: z.literal("image"),
    format: z.enum(["png", "jpeg", "webp"]),
    ...sides,
    about: z.string(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal("video"),
    format: z.literal("mp4"),
    ...sides,
    durationSec: z.number(),
    about: z.string(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal("audio"),
    format: z.literal("mp3"),
    durationSec: z.number(),
    about: z.string(),
    title: z.string(),
  }),
]);

export type FileSpec = z.infer<typeof fileSpecSchema>;
export type ImageSpec = Extract<FileSpec, { kind: "image" }>;
export type VideoSpec = Extract<FileSpec, { kind: "video" }>;
export type AudioSpec = Extract<FileSpec, { kind: "audio" }>;

const MIMES = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
} as const;

export function mimeOf({ format }: FileSpec): string {
  return MIMES[format];
}

export function extensionOf({ format }: FileSpec): string {
  return format === "jpeg" ? "jpg" : format;
}

/** UUID of a C2PA manifest store. */
const STORE_UUID = Buffer.from("6332706100110010800000aa00389b71", "hex");
/** It has a label, and may be asked for by it. */
const TOGGLES = 0x03;
const PNG_HEAD_BYTES = 33;
const JPEG_START_BYTES = 2;

/**
 * The picture with an empty C2PA manifest store, as services sign theirs: in a `caBX` chunk of a PNG, in an APP11
 * segment of a JPEG. Source: C2PA specification 2.1, appendix A.3; ISO/IEC 19566-5 for the boxes.
 */
function withProvenance(picture: Buffer, format: ImageSpec["format"]): Buffer {
  if (format === "png") return insert(picture, PNG_HEAD_BYTES, pngChunk("caBX", manifestStore()));
  if (format === "jpeg") return insert(picture, jpegHeadBytes(picture), jpegSegment(manifestStore()));
  return picture;
}

function manifestStore(): Buffer {
  const label = Buffer.from("c2pa\0", "latin1");
  return box("jumb", box("jumd", Buffer.concat([STORE_UUID, Buffer.from([TOGGLES]), label])));
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** The first and only segment of box 1. */
function jpegSegment(content: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xeb, 0, 0, 0x4a, 0x50, 0, 1, 0, 0, 0, 1]);
  head.writeUInt16BE(head.length - JPEG_START_BYTES + content.length, JPEG_START_BYTES);
  return Buffer.concat([head, content]);
}

/** Measures the head, with the APP0 segment, which comes first where there is one. */
function jpegHeadBytes(picture: Buffer): number {
  const hasApp0 = picture.readUInt16BE(JPEG_START_BYTES) === 0xffe0;
  return hasApp0 ? 4 + picture.readUInt16BE(4) : JPEG_START_BYTES;
}

function insert(bytes: Buffer, at: number, part: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}

/** A sky in the colours of its prompt, signed where its format can be. */
export async function makePicture(spec: ImageSpec, maker: string): Promise<Buffer> {
  const canvas = createCanvas(spec.width, spec.height);
  paint(canvas, spec.about, 0);
  paintLabel(canvas, maker);
  return withProvenance(await encode(canvas, spec), spec.format);
}

function encode(canvas: Canvas, { format }: ImageSpec): Promise<Buffer> {
  if (format === "png") return canvas.encode("png");
  return format === "jpeg" ? canvas.encode("jpeg", 80) : canvas.encode("webp", 80);
}

/**
 * A sun in a sky, in colours of a text: the same text gives the same.
 * @param moment from 0 to 1: the sun goes up and down once
 */
function paint(canvas: Canvas, about: string, moment: number): void {
  const { width, height } = canvas;
  const ctx = canvas.getContext("2d");
  const [tint = 0, across = 0, up = 0] = createHash("sha256").update(about).digest();
  /** Between teal and rose. */
  const hue = 175 + Math.round(165 * (tint / 255));
  const sky = ctx.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${hue}, 55%, 40%)`);
  sky.addColorStop(1, "hsl(36, 80%, 84%)");
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = "hsl(36, 95%, 92%)";
  ctx.beginPath();
  const y = 0.25 + 0.3 * (up / 255) - 0.08 * Math.sin(2 * Math.PI * moment);
  ctx.arc((0.2 + 0.6 * (across / 255)) * width, y * height, 0.12 * Math.min(width, height), 0, 2 * Math.PI);
  ctx.fill();
}

const PICTURES_MAX = 48;
/** Limits all pictures of a film together: what is large has few. */
const PIXELS_MAX = 48e6;
const BITRATE = 400_000;
const FRAME_RATE_MAX = 8;
const MICROSECONDS = 1e6;

/** An H.264 film of the right sides and length, with few pictures a second. */
async function makeFilm(spec: VideoSpec, maker: string): Promise<Buffer> {
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

const SAMPLE_RATE = 44_100;
const FRAME_SAMPLES = 1152;
const BITRATE_KBPS = 64;
/** The phrase that is repeated, in frames: about four seconds. */
const PHRASE_FRAMES = 160;
const NOTES = [0, 3, 5, 7, 10, 12] as const;

/** An MP3 of the right length: a phrase of a few notes over and over, after a tag with its title. */
async function makeTrack(spec: AudioSpec): Promise<Buffer> {
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
  const sevens = [21, 14, 7, 0].map((shift) => (size >> shift) & 127);
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...sevens]);
  return Buffer.concat([head, frame, body]);
}

const KEPT_MAX = 24;

/** Makes results when they are asked for, and keeps the last ones. The same description gives the same bytes. */
export class FileMaker {
  readonly #kept = new Map<string, Promise<Buffer>>();

  /** @param maker the service whose stand-in this is: pictures and films say so */
  make(spec: FileSpec, maker: string): Promise<Buffer> {
    const key = JSON.stringify({ ...spec, id: "", maker });
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const made = makeFile(spec, maker);
    this.#kept.set(key, made);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > KEPT_MAX && oldest.value !== undefined) this.#kept.delete(oldest.value);
    return made;
  }
}

function makeFile(spec: FileSpec, maker: string): Promise<Buffer> {
  if (spec.kind === "image") return makePicture(spec, maker);
  return spec.kind === "video" ? makeFilm(spec, maker) : makeTrack(spec);
}
