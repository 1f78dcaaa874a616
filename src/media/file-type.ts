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

export const SNIFF_BYTES = 12;

/** Detects PNG, JPEG and WebP by the first SNIFF_BYTES; undefined for anything else. */
export function sniffPicture(head: Buffer): string | undefined {
  if (head.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "image/png";
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
  const isRiff = head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
  return isRiff ? "image/webp" : undefined;
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
