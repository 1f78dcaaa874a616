import type { ReadAt } from "./read-at.js";

interface Frame {
  bytes: number;
  samples: number;
  samplesPerSec: number;
  bitsPerSec: number;
  /** Of the tables between the frame's header and its data. */
  sideBytes: number;
}

/** Kilobits per second of layer III by index, for MPEG 1, and for MPEG 2 and 2.5. */
const KBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLES_PER_SEC = [44_100, 48_000, 32_000];
/** Some writers leave room between the tag and the first frame. */
const SEARCHED_BYTES = 16 * 1024;
const HAS_FRAMES = 1;

/**
 * The duration of an MP3 in seconds: by the count of frames in its first frame (Xing, Info or VBRI), else by
 * its size, for which the bitrate must be constant. Undefined for what is no MP3.
 * @param size of the file, in bytes; undefined where it is not known
 */
export async function readMp3Duration(read: ReadAt, size: number | undefined): Promise<number | undefined> {
  const audioAt = await afterTag(read);
  const head = await read(audioAt, SEARCHED_BYTES);
  const found = firstFrame(head);
  if (!found) return undefined;
  const { frame, at } = found;
  const frames = countedFrames(head.subarray(at), frame);
  if (frames !== undefined) return (frames * frame.samples) / frame.samplesPerSec;
  return size === undefined ? undefined : ((size - audioAt - at) * 8) / frame.bitsPerSec;
}

/** Where the audio begins after an ID3v2 tag, which may hold a cover. */
async function afterTag(read: ReadAt): Promise<number> {
  const head = await read(0, 10);
  if (head.length < 10 || head.toString("latin1", 0, 3) !== "ID3") return 0;
  const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}

/** Two headers in a row, since the bytes of one occur by chance. */
function firstFrame(bytes: Buffer): { frame: Frame; at: number } | undefined {
  for (let at = 0; at + 4 <= bytes.length; at += 1) {
    const frame = frameAt(bytes, at);
    if (!frame) continue;
    const next = at + frame.bytes;
    if (next + 4 > bytes.length || frameAt(bytes, next)) return { frame, at };
  }
  return undefined;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 4 > bytes.length) return undefined;
  const word = bytes.readUInt32BE(at);
  // Eleven bits of synchronisation, then the version and layer III.
  const version = (word >>> 19) & 3;
  if (word >>> 21 !== 0x7ff || version === 1 || ((word >>> 17) & 3) !== 1) return undefined;
  const isFirst = version === 3;
  const kbits = (isFirst ? KBITS_1 : KBITS_2)[(word >>> 12) & 15];
  const base = SAMPLES_PER_SEC[(word >>> 10) & 3];
  if (!kbits || base === undefined) return undefined;
  const samplesPerSec = base / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  const bitsPerSec = kbits * 1000;
  const padding = (word >>> 9) & 1;
  const isMono = ((word >>> 6) & 3) === 3;
  return {
    bytes: Math.floor((samples / 8) * (bitsPerSec / samplesPerSec)) + padding,
    samples,
    samplesPerSec,
    bitsPerSec,
    sideBytes: isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  };
}

/** Frames as an encoder wrote them into the first frame. Undefined where it did not. */
function countedFrames(bytes: Buffer, { sideBytes }: Frame): number | undefined {
  const at = 4 + sideBytes;
  const name = bytes.toString("latin1", at, at + 4);
  const isCounted = name === "Xing" || name === "Info";
  if (isCounted && at + 12 <= bytes.length && (bytes.readUInt32BE(at + 4) & HAS_FRAMES) !== 0)
    return bytes.readUInt32BE(at + 8) || undefined;
  // Always 32 bytes after the header.
  const isVbri = bytes.toString("latin1", 36, 40) === "VBRI" && bytes.length >= 54;
  return isVbri ? bytes.readUInt32BE(50) || undefined : undefined;
}
