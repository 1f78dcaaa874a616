import { open } from "node:fs/promises";
import {
  PICTURE_PIXELS_MAX,
  PictureSizeReader,
  type SizeFound,
  sniffPicture,
  TOO_MANY_PIXELS,
} from "../platform/picture-size.js";

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/webp": "webp",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/avif": "avif",
  "image/heic": "heic",
  "image/bmp": "bmp",
  "image/tiff": "tiff",
  "image/jxl": "jxl",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/x-msvideo": "avi",
  "video/x-flv": "flv",
  "video/mp2t": "ts",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/webm": "weba",
  "audio/quicktime": "mov",
  "video/ogg": "ogv",
};

export function extensionOf(mime: string): string {
  return EXTENSIONS[mime] ?? "bin";
}

/** Bytes of a WebP by which `isTransparentWebp` judges it. */
export const WEBP_HEAD_BYTES = 25;
const HAS_ALPHA = 0x10;

/** Tells by the first WEBP_HEAD_BYTES whether a WebP has transparent pixels. Encoders mark those that have some. */
export function isTransparentWebp(head: Buffer): boolean {
  if (head.length < WEBP_HEAD_BYTES || sniffPicture(head) !== "image/webp") return false;
  const kind = head.toString("latin1", 12, 16);
  if (kind === "VP8X") return (head.readUInt8(20) & HAS_ALPHA) !== 0;
  return kind === "VP8L" && (head.readUInt8(24) & HAS_ALPHA) !== 0;
}

/** Bytes of a file's beginning by which `sniffMedia` tells its type. */
export const SNIFF_MEDIA_BYTES = 256;

/** Reads the beginning of a file, which tells its type. */
export async function headOfFile(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_MEDIA_BYTES), 0, SNIFF_MEDIA_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const PREFIXES: readonly (readonly [prefix: string, mime: string])[] = [
  ["GIF8", "image/gif"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
  ["\xff\x0a", "image/jxl"],
  ["\0\0\0\x0cJXL ", "image/jxl"],
  ["FLV\x01", "video/x-flv"],
  ["OggS", "audio/ogg"],
  ["fLaC", "audio/flac"],
  ["ID3", "audio/mpeg"],
];
const BRANDS: Readonly<Record<string, string>> = {
  avif: "image/avif",
  avis: "image/avif",
  heic: "image/heic",
  heix: "image/heic",
  mif1: "image/heic",
  "qt  ": "video/quicktime",
  "M4A ": "audio/mp4",
  "M4B ": "audio/mp4",
};
const RIFFS: Readonly<Record<string, string>> = { "AVI ": "video/x-msvideo", WAVE: "audio/wav" };

/** Detects pictures, videos and sound by their beginning, also such as this service cannot open. */
export function sniffMedia(head: Buffer): string | undefined {
  const text = (start: number, end: number) => head.toString("latin1", start, end);
  const known = sniffPicture(head) ?? PREFIXES.find(([prefix]) => text(0, prefix.length) === prefix)?.[1];
  if (known !== undefined) return known;
  if (text(4, 8) === "ftyp") return BRANDS[text(8, 12)] ?? "video/mp4";
  if (text(0, 4) === "RIFF") return RIFFS[text(8, 12)];
  if (text(0, 2) === "BM" && head.length >= 10 && head.readUInt32LE(6) === 0) return "image/bmp";
  if (text(0, 4) === "\x1aE\xdf\xa3")
    return text(0, SNIFF_MEDIA_BYTES).includes("webm") ? "video/webm" : "video/x-matroska";
  if (head[0] === 0x47 && head[188] === 0x47) return "video/mp2t";
  const sync = head.length >= 2 ? head.readUInt16BE(0) : 0;
  if ((sync & 0xfff6) === 0xfff0) return "audio/aac";
  return (sync & 0xffe6) === 0xffe2 ? "audio/mpeg" : undefined;
}

const JPEG_SCAN = 0xda;
export const JPEG_END = Buffer.from([0xff, 0xd9]);

const IS_WHOLE: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": (bytes) => bytes.lastIndexOf("IEND", bytes.length, "latin1") >= 0,
  "image/jpeg": (bytes) => bytes.indexOf(JPEG_END, scanOf(bytes)) >= 0,
  "image/webp": (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
};

/** Returns false for a PNG, JPEG or WebP whose end is missing. Decoders fill up what is absent. */
export function hasPictureEnd(bytes: Buffer, mime: string): boolean {
  return bytes.length > 12 && (IS_WHOLE[mime]?.(bytes) ?? false);
}

/** Finds the beginning of the picture's data: a small preview before it has an end of its own. */
function scanOf(bytes: Buffer): number {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== JPEG_SCAN) {
    // Any number of fill bytes may stand before a marker.
    at += bytes[at + 1] === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return Math.min(at, bytes.length);
}

const REASONS = {
  type: "it is no PNG, JPEG or WebP picture",
  pixels: TOO_MANY_PIXELS,
} as const;

export class PictureRejectedError extends Error {
  override readonly name = "PictureRejectedError";
  constructor(readonly reason: keyof typeof REASONS) {
    super(REASONS[reason]);
  }
}

/**
 * Passes the bytes of a picture on, and checks its type by the first of them and its dimensions as soon as they are
 * told: nothing of an unknown size is passed whole.
 * @param size reads both, and is left with the MIME type
 * @throws PictureRejectedError; the rest of the file is not read then
 */
export async function* checkedPicture(
  bytes: AsyncIterable<Buffer>,
  size = new PictureSizeReader(),
): AsyncGenerator<Buffer> {
  let found: SizeFound = "more";
  for await (const chunk of bytes) {
    found = size.push(chunk);
    if (typeof found === "object" && found.width * found.height > PICTURE_PIXELS_MAX)
      throw new PictureRejectedError("pixels");
    if (found === "none") throw new PictureRejectedError("type");
    yield chunk;
  }
  if (found === "more") throw new PictureRejectedError("type");
}
