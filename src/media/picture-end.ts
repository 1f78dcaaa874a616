const JPEG_SCAN = 0xda;
const JPEG_END = Buffer.from([0xff, 0xd9]);

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
