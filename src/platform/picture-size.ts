/** Limits pixels: 8192 × 8192 take 256 MB when decoded. */
export const PICTURE_PIXELS_MAX = 8192 * 8192;
export const TOO_MANY_PIXELS = "it has more than 64 megapixels";

export interface PictureSize {
  width: number;
  height: number;
}

/** `more`: the bytes so far do not tell. `none`: it is no PNG, JPEG or WebP, or it states no size. */
export type SizeFound = PictureSize | "more" | "none";

/** Reads width and height of a whole PNG, JPEG or WebP, without decoding. */
export function pictureSizeOf(bytes: Uint8Array): PictureSize | undefined {
  const found = new PictureSizeReader().push(bytes);
  return typeof found === "object" ? found : undefined;
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const SIGNATURE_BYTES = 12;

/** Detects PNG, JPEG and WebP by the first SIGNATURE_BYTES; undefined for anything else. */
export function sniffPicture(head: Buffer): string | undefined {
  if (head.subarray(0, PNG.length).equals(PNG)) return "image/png";
  if (head.subarray(0, JPEG.length).equals(JPEG)) return "image/jpeg";
  const isRiff = head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
  return isRiff ? "image/webp" : undefined;
}

/**
 * Finds the size of a picture in its bytes as they come. Profiles, previews and credentials of any length may stand
 * before it: they are passed over and not kept.
 */
export class PictureSizeReader {
  /** The MIME type; empty while it is not known. */
  mime = "";
  #read: ((bytes: Buffer) => SizeFound) | undefined;
  #found: SizeFound = "more";
  /** What is not judged yet: less than a header. */
  #rest: Buffer = Buffer.alloc(0);
  #skip = 0;

  push(chunk: Uint8Array): SizeFound {
    if (this.#found !== "more") return this.#found;
    const passed = Math.min(this.#skip, chunk.length);
    this.#skip -= passed;
    if (passed === chunk.length) return "more";
    const bytes = Buffer.concat([this.#rest, chunk.subarray(passed)]);
    this.#rest = bytes;
    if (!this.#read && bytes.length < SIGNATURE_BYTES) return "more";
    this.#read ??= this.#readerOf(bytes);
    this.#found = this.#read?.(bytes) ?? "none";
    return this.#found;
  }

  #readerOf(head: Buffer): ((bytes: Buffer) => SizeFound) | undefined {
    this.mime = sniffPicture(head) ?? "";
    if (this.mime === "image/png") return sizeOfPng;
    if (this.mime === "image/webp") return sizeOfWebp;
    if (this.mime !== "image/jpeg") return undefined;
    this.#rest = head.subarray(2);
    return () => this.#nextSegments();
  }

  /** Passes over segments of a JPEG, from marker to marker, up to the header of its frame. */
  #nextSegments(): SizeFound {
    const bytes = this.#rest;
    for (let at = 0; ; ) {
      // Any number of fill bytes may stand before a marker.
      at = bytes.indexOf(0xff, at);
      if (at < 0) return this.#keep(bytes.length);
      let place = at + 1;
      while (bytes[place] === 0xff) place += 1;
      const marker = bytes[place];
      if (marker !== undefined && isAlone(marker)) {
        at = place + 1;
        continue;
      }
      if (marker === undefined || place + 8 > bytes.length) return this.#keep(place - 1);
      if (marker === 0xd9 || marker === 0xda) return "none";
      if (isFrame(marker)) return sized(bytes.readUInt16BE(place + 6), bytes.readUInt16BE(place + 4));
      at = place + 1 + Math.max(2, bytes.readUInt16BE(place + 1));
      if (at > bytes.length) return this.#keep(at);
    }
  }

  /** Keeps the bytes from `at` on, which may be beyond what has come. */
  #keep(at: number): "more" {
    this.#skip = Math.max(0, at - this.#rest.length);
    this.#rest = this.#rest.subarray(Math.min(at, this.#rest.length));
    return "more";
  }
}

/** Markers without a length: fill, restarts and the beginning. */
function isAlone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function sizeOfPng(bytes: Buffer): SizeFound {
  // A chunk of Apple's own may stand before the header.
  const at = bytes.toString("latin1", 12, 16) === "CgBI" ? 24 : 8;
  if (bytes.length < at + 16) return "more";
  if (bytes.toString("latin1", at + 4, at + 8) !== "IHDR") return "none";
  return sized(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
}

function sizeOfWebp(bytes: Buffer): SizeFound {
  const kind = bytes.toString("latin1", 12, 16);
  if (bytes.length < (kind === "VP8L" ? 25 : 30)) return "more";
  if (kind === "VP8X") return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
  if (kind === "VP8 ") return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (kind !== "VP8L") return "none";
  const bits = bytes.readUInt32LE(21);
  return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function sized(width: number, height: number): SizeFound {
  return width > 0 && height > 0 ? { width, height } : "none";
}
