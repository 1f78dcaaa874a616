/** Markers of the frame header: baseline, extended and progressive. */
const FRAME_MARKERS: readonly (number | undefined)[] = [0xc0, 0xc1, 0xc2];

/** True for bytes that a decoder takes for a JPEG. */
export function isJpeg(bytes: Buffer): boolean {
  return bytes.length > 3 && bytes.readUIntBE(0, 3) === 0xffd8ff;
}

/**
 * True when each segment up to the frame header begins where the one before it ends. Where bytes stand between
 * them, readers may find different headers, and the sides that one reads are not those that another decodes.
 */
export function isPlainJpeg(bytes: Buffer): boolean {
  let at = 2;
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff) return false;
    if (FRAME_MARKERS.includes(marker)) return true;
    const isSegment = marker !== undefined && marker >= 0xc4 && marker !== 0xff && !isStandalone(marker);
    if (!isSegment) return false;
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return false;
}

/** Restart markers, and those of the beginning and the end of a picture. */
function isStandalone(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd9;
}
