/** What a player shows. Sides are those of the displayed picture. */
export interface PlayedFacts {
  width?: number;
  height?: number;
  durationSec?: number;
}

interface Box {
  type: string;
  headBytes: number;
  /** Bytes with the head. Infinite where the box goes on to the end of the file. */
  bytes: number;
}

/** The most bytes of the head of a box. */
export const BOX_HEAD_BYTES = 16;
/** The most boxes of a file, or of a box, that are looked at: a film has a few, and an empty one takes eight bytes. */
export const BOXES_MAX = 100;

/** Reads the head of a box of an MPEG-4 file. Undefined for what is none. */
export function boxAt(bytes: Buffer, at: number): Box | undefined {
  const left = bytes.length - at;
  if (left < 8) return undefined;
  const told = bytes.readUInt32BE(at);
  const type = bytes.toString("latin1", at + 4, at + 8);
  if (told === 0) return { type, headBytes: 8, bytes: Number.POSITIVE_INFINITY };
  if (told !== 1) return told < 8 ? undefined : { type, headBytes: 8, bytes: told };
  if (left < BOX_HEAD_BYTES) return undefined;
  const size = Number(bytes.readBigUInt64BE(at + 8));
  return size < BOX_HEAD_BYTES ? undefined : { type, headBytes: BOX_HEAD_BYTES, bytes: size };
}

/**
 * Reads the facts that the heads of a movie and of its tracks tell. No table of samples is read, and each byte is
 * passed a few times at most, whatever counts and sizes the boxes claim. Throws RangeError where a head is cut.
 * @param index the content of the box `moov`
 */
export function factsOfIndex(index: Buffer): PlayedFacts {
  const durationSec = durationOf(childOf(index, "mvhd"));
  const sides = childrenOf(index, "trak").map(sidesOf).find(Boolean);
  return { ...sides, ...(durationSec !== undefined && { durationSec }) };
}

function durationOf(head: Buffer | undefined): number | undefined {
  if (!head) return undefined;
  const isLong = head.readUInt8(0) === 1;
  const perSec = head.readUInt32BE(isLong ? 20 : 12);
  const units = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
  // All bits are set where it is unknown.
  if (units === (isLong ? 2 ** 64 : 2 ** 32 - 1)) return undefined;
  const durationSec = units / perSec;
  return Number.isFinite(durationSec) && durationSec > 0 ? durationSec : undefined;
}

function sidesOf(track: Buffer): Pick<PlayedFacts, "width" | "height"> | undefined {
  const media = childOf(track, "mdia");
  const handler = media && childOf(media, "hdlr");
  const head = childOf(track, "tkhd");
  if (!head || handler?.toString("latin1", 8, 12) !== "vide") return undefined;
  const matrixAt = head.readUInt8(0) === 1 ? 52 : 40;
  const width = Math.round(head.readUInt32BE(matrixAt + 36) / 0x1_0000);
  const height = Math.round(head.readUInt32BE(matrixAt + 40) / 0x1_0000);
  if (width === 0 || height === 0) return undefined;
  const isTurned = Math.abs(head.readInt32BE(matrixAt + 4)) > Math.abs(head.readInt32BE(matrixAt));
  return isTurned ? { width: height, height: width } : { width, height };
}

function childOf(content: Buffer, type: string): Buffer | undefined {
  return childrenOf(content, type)[0];
}

function childrenOf(content: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  let at = 0;
  for (let count = 0; count < BOXES_MAX; count += 1) {
    const box = boxAt(content, at);
    if (!box) break;
    // A box that claims to be larger than its parent ends with it.
    if (box.type === type) found.push(content.subarray(at + box.headBytes, at + box.bytes));
    at += box.bytes;
  }
  return found;
}
