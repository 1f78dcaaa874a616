import { readFile, writeFile } from "node:fs/promises";
import { type Canvas, createCanvas, Image } from "@napi-rs/canvas";
import type { Input, InputTrack } from "mediabunny";
import { hasPictureEnd, headOfFile, JPEG_END, sniffMedia } from "../media/picture-check.js";
import { reasonOf } from "../platform/errors.js";
import { PICTURE_PIXELS_MAX, sniffPicture, TOO_MANY_PIXELS } from "../platform/picture-size.js";
import { GenerationError } from "./generation-error.js";
import type { GeneratedFile, Reply } from "./worker-pool.js";

async function decodePicture(bytes: Buffer): Promise<Image> {
  const image = new Image();
  image.onerror = () => {};
  image.src = bytes;
  const pixels = image.naturalWidth * image.naturalHeight;
  if (pixels > PICTURE_PIXELS_MAX) throw new Error(TOO_MANY_PIXELS);
  if (pixels < 1) throw new Error("the picture does not state its size");
  await image.decode();
  return image;
}

/** Frees the decoded pixels now: the garbage collector does not see how much memory they take. */
function releasePicture(image: Image): void {
  image.src = Buffer.alloc(0);
}

const WEBP_QUALITY = 90;
const JPEG_QUALITY = 88;
/** Brightest channel of a black pixel: compression adds a little. */
const BLACK_MAX = 3;
const SAMPLE_SIDE = 32;
/** Rows that are read at once, so that a large picture takes no more memory than its own. */
const STRIP_ROWS = 256;
/** Rows that the decoder of JPEG holds back until it has seen the end marker: a block, and what it is smoothed with. */
const ROWS_HELD_BACK = 40;
/** Limits the sides of a cover: Telegram takes no larger thumbnail. */
const COVER_SIDE_MAX = 320;
/** Types whose reader is here: a file that it does not take is damaged. */
const CONTAINERS: ReadonlySet<string> = new Set(["video/mp4", "video/quicktime", "audio/mp4"]);

export interface FileTask {
  kind: "image" | "cover" | "video" | "audio";
  source: string;
  target: string;
  pixelsMax?: number;
  /** Nothing was cut off on the way: the decoder alone judges. */
  isWhole?: boolean;
}

/** Never rejects: an error that nobody foresaw is the failure `provider`. */
export function replyTo(task: FileTask): Promise<Reply> {
  return prepareFile(task).then(
    (file) => ({ kind: "done", files: [file] }),
    (error: unknown) => {
      const failure = error instanceof GenerationError ? error.failure : "provider";
      return { kind: "failed", failure, message: reasonOf(error) };
    },
  );
}

/** Judges a downloaded file and converts pictures, in its own process. Throws GenerationError `reference`. */
export async function prepareFile(task: FileTask): Promise<GeneratedFile> {
  const { kind, source, target, isWhole = false } = task;
  if (kind === "cover") return prepareCover(source, target, isWhole);
  const isPicture = kind === "image" && sniffPicture(await headOfFile(source)) !== undefined;
  return isPicture ? preparePicture(task) : prepareOther(source, kind, isWhole);
}

async function preparePicture({
  source,
  target,
  pixelsMax = Number.POSITIVE_INFINITY,
  isWhole = false,
}: FileTask): Promise<GeneratedFile> {
  const read = await readPicture(source, isWhole);
  if ("unjudged" in read) return { path: source, ...read };
  const { image, mime } = read;
  if (isBlack(image)) throw new GenerationError("refused", "the picture is black");
  const { width, height } = sidesWithin(image, pixelsMax);
  const isMade = mime === "image/webp";
  if (!isMade) await store(target, draw(image, { width, height }).encodeSync("webp", WEBP_QUALITY));
  releasePicture(image);
  return {
    path: isMade ? source : target,
    mime: "image/webp",
    width,
    height,
    ...(!isMade && { original: { path: source, mime } }),
  };
}

async function prepareCover(source: string, target: string, isWhole: boolean): Promise<GeneratedFile> {
  const read = await readPicture(source, isWhole);
  if ("unjudged" in read) throw unreadable(read.unjudged);
  const { image } = read;
  const { naturalWidth, naturalHeight } = image;
  const scale = Math.min(1, COVER_SIDE_MAX / Math.max(naturalWidth, naturalHeight));
  const width = Math.max(1, Math.round(naturalWidth * scale));
  const height = Math.max(1, Math.round(naturalHeight * scale));
  await store(target, draw(image, { width, height }).encodeSync("jpeg", JPEG_QUALITY));
  releasePicture(image);
  return { path: target, mime: "image/jpeg", width, height };
}

function sidesWithin({ naturalWidth, naturalHeight }: Image, pixelsMax: number) {
  const scale = Math.min(1, Math.sqrt(pixelsMax / (naturalWidth * naturalHeight)));
  const sideOf = (side: number) => Math.max(1, Math.floor(side * scale));
  return { width: sideOf(naturalWidth), height: sideOf(naturalHeight) };
}

type ReadPicture = { image: Image; mime: string } | { unjudged: string; mime: string };

/** Decodes a picture. One that has its end and that this decoder does not take may open elsewhere. */
async function readPicture(source: string, isWhole: boolean): Promise<ReadPicture> {
  const bytes = await readFile(source);
  const mime = sniffPicture(bytes);
  if (mime === undefined) throw unreadable("it is no PNG, JPEG or WebP picture");
  const hasEnd = hasPictureEnd(bytes, mime);
  // Some encoders leave out the end marker of a JPEG.
  if (!hasEnd && !(isWhole && mime === "image/jpeg")) throw unreadable("its end is missing");
  try {
    return { image: await (hasEnd ? decodePicture(bytes) : decodeOpenJpeg(bytes)), mime };
  } catch (error) {
    if (!hasEnd) throw unreadable(reasonOf(error));
    return { unjudged: reasonOf(error), mime };
  }
}

/** Decodes a JPEG without an end marker. Throws where more rows are missing than the decoder holds back for it. */
async function decodeOpenJpeg(bytes: Buffer): Promise<Image> {
  const image = await decodePicture(bytes);
  const row = createCanvas(image.naturalWidth, 1);
  row.getContext("2d").drawImage(image, 0, -Math.max(0, image.naturalHeight - ROWS_HELD_BACK));
  releasePicture(image);
  const [, , , alpha] = row.getContext("2d").getImageData(0, 0, 1, 1).data;
  if (alpha !== 255) throw new Error("its end is missing");
  return decodePicture(Buffer.concat([bytes, JPEG_END]));
}

/**
 * Tells whether every pixel is black, which is what safety checkers put in the place of a picture. Other pictures of
 * one colour pass: somebody may have asked for a white background. A small copy settles it for nearly all.
 */
function isBlack(image: Image): boolean {
  const { naturalWidth: width, naturalHeight: height } = image;
  const small = { width: Math.min(width, SAMPLE_SIDE), height: Math.min(height, SAMPLE_SIDE) };
  if (!hasBlackPixelsOnly(draw(image, small))) return false;
  for (let top = 0; top < height; top += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, height - top);
    const strip = createCanvas(width, rows);
    strip.getContext("2d").drawImage(image, 0, top, width, rows, 0, 0, width, rows);
    if (!hasBlackPixelsOnly(strip)) return false;
  }
  return true;
}

function hasBlackPixelsOnly(canvas: Canvas): boolean {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]];
    if (red > BLACK_MAX || green > BLACK_MAX || blue > BLACK_MAX || alpha < 255) return false;
  }
  return true;
}

function draw(image: Image, { width, height }: { width: number; height: number }): Canvas {
  const canvas = createCanvas(width, height);
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return canvas;
}

/** What a video or audio file says of itself. */
interface MediaFacts {
  kind: "video" | "audio";
  mime: string;
  /** Width in pixels, as shown: rotation and pixel shape are applied. */
  width?: number;
  height?: number;
  durationSec?: number;
}

const CACHE_BYTES = 1024 * 1024;

/**
 * Reads the container of an MP4, QuickTime, WebM, Matroska, MP3, WAV, FLAC, OGG or AAC file. Undefined for anything else and
 * for a file without a readable track, such as one whose end is missing. Long files without an index are read
 * whole: use a process of its own, or files that are known to have an index.
 * @param isWhole nothing was cut off on the way: the last packet is not looked for
 */
export async function readMediaFacts(path: string, isWhole = false): Promise<MediaFacts | undefined> {
  const { ADTS, FLAC, FilePathSource, Input, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } = await import(
    "mediabunny"
  );
  const source = new FilePathSource(path, { maxCacheSize: CACHE_BYTES, handleUnhandledError: () => {} });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, FLAC, OGG, ADTS] });
  try {
    return (await input.canRead()) ? await factsOf(input, isWhole) : undefined;
  } catch {
    // The readers throw on truncated or damaged bytes.
    return undefined;
  } finally {
    input.dispose();
  }
}

async function factsOf(input: Input, isWhole: boolean): Promise<MediaFacts | undefined> {
  const video = await input.getPrimaryVideoTrack();
  const track = video ?? (await input.getPrimaryAudioTrack());
  if (!track || !(isWhole || (await hasLastPacket(track)))) return undefined;
  const { mimeType } = await input.getFormat();
  const kind = video ? "video" : "audio";
  const durationSec = await input.computeDuration();
  return {
    kind,
    mime: mimeType.replace(/^(?:video|application)\//, `${kind}/`),
    ...(video && { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() }),
    ...(Number.isFinite(durationSec) && durationSec > 0 && { durationSec }),
  };
}

/** Returns false where the bytes of the last packet are beyond the end of the file. */
async function hasLastPacket(track: InputTrack): Promise<boolean> {
  const { EncodedPacketSink } = await import("mediabunny");
  const packet = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY);
  return packet !== null && packet.data.length > 0;
}

/** Takes what is readable, also of another kind than expected, and media that only others open. */
async function prepareOther(
  source: string,
  expected: "image" | "video" | "audio",
  isWhole: boolean,
): Promise<GeneratedFile> {
  const facts = await readMediaFacts(source, isWhole);
  if (facts) {
    const { kind, ...file } = facts;
    return {
      path: source,
      ...file,
      ...(kind !== expected && { unjudged: `it is ${kind}, not ${expected}` }),
    };
  }
  const head = await headOfFile(source);
  const mime = sniffMedia(head);
  if (head.length === 0 || (mime === undefined && isText(head))) throw unreadable("it is no media file");
  if (mime !== undefined && CONTAINERS.has(mime)) throw unreadable("it is damaged, or not a whole file");
  return {
    path: source,
    mime: mime ?? "application/octet-stream",
    unjudged: "it is of a type that is not read here",
  };
}

/** True for a page or a message of a service. */
function isText(head: Buffer): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true }).includes("\0");
  } catch {
    return false;
  }
}

function unreadable(reason: string): GenerationError {
  return new GenerationError("reference", reason);
}

/** Writes a file. Throws GenerationError `storage`. */
async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new GenerationError("storage", "the result cannot be written", { cause: error });
  }
}
