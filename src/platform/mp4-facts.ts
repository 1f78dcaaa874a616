import type { ReadAt } from "./read-at.js";

/** What a player shows. Sides are those of the displayed picture. */
export interface Mp4Facts {
  width?: number;
  height?: number;
  durationSec?: number;
}

interface Box {
  type: string;
  /** Of the content, without the header. */
  start: number;
  end: number;
}

/** A file has a handful of boxes on each level; more is damage. */
const BOXES_MAX = 200;
const UNKNOWN_32 = 0xffff_ffff;
/** From the start of a matrix to the sides after it. */
const MATRIX_BYTES = 36;
const RESERVED_BYTES = 16;

/**
 * Reads the index (`moov`) of an MPEG-4 file (ISO/IEC 14496-12), wherever it stands. Only headers are read:
 * the sample tables and the media are skipped. What is damaged or unknown stays unset.
 */
export async function readMp4Facts(read: ReadAt): Promise<Mp4Facts> {
  const movie = await findBox(read, "moov", 0, Number.MAX_SAFE_INTEGER);
  if (!movie) return {};
  const header = await findBox(read, "mvhd", movie.start, movie.end);
  const durationSec = header && (await durationOf(read, header));
  const sides = await sidesOf(read, movie);
  return { ...sides, ...(durationSec !== undefined && { durationSec }) };
}

async function durationOf(read: ReadAt, { start }: Box): Promise<number | undefined> {
  const bytes = await read(start, 32);
  if (bytes.length < 32) return undefined;
  const isLong = bytes[0] === 1;
  const scale = bytes.readUInt32BE(isLong ? 20 : 12);
  const units = isLong ? Number(bytes.readBigUInt64BE(24)) : bytes.readUInt32BE(16);
  const isKnown = scale > 0 && units > 0 && (isLong ? Number.isSafeInteger(units) : units !== UNKNOWN_32);
  return isKnown ? units / scale : undefined;
}

/** Of the first video track. */
async function sidesOf(read: ReadAt, movie: Box): Promise<Pick<Mp4Facts, "width" | "height"> | undefined> {
  for await (const track of boxesOf(read, movie.start, movie.end)) {
    if (track.type !== "trak") continue;
    if ((await handlerOf(read, track)) !== "vide") continue;
    const header = await findBox(read, "tkhd", track.start, track.end);
    return header && displayedSides(read, header);
  }
  return undefined;
}

async function handlerOf(read: ReadAt, track: Box): Promise<string | undefined> {
  const media = await findBox(read, "mdia", track.start, track.end);
  const handler = media && (await findBox(read, "hdlr", media.start, media.end));
  return handler && (await read(handler.start + 8, 4)).toString("latin1");
}

async function displayedSides(
  read: ReadAt,
  { start }: Box,
): Promise<Pick<Mp4Facts, "width" | "height"> | undefined> {
  const [version = 0] = await read(start, 1);
  const matrixAt = start + 4 + (version === 1 ? 32 : 20) + RESERVED_BYTES;
  const bytes = await read(matrixAt, MATRIX_BYTES + 8);
  if (bytes.length < MATRIX_BYTES + 8) return undefined;
  const width = Math.round(bytes.readUInt32BE(MATRIX_BYTES) / 65_536);
  const height = Math.round(bytes.readUInt32BE(MATRIX_BYTES + 4) / 65_536);
  if (width === 0 || height === 0) return undefined;
  // A phone films upright by a matrix that turns the picture by 90 degrees.
  const isTurned = bytes.readInt32BE(0) === 0 && bytes.readInt32BE(4) !== 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

async function findBox(read: ReadAt, type: string, start: number, end: number): Promise<Box | undefined> {
  for await (const box of boxesOf(read, start, end)) if (box.type === type) return box;
  return undefined;
}

async function* boxesOf(read: ReadAt, start: number, end: number): AsyncGenerator<Box> {
  let at = start;
  for (let count = 0; count < BOXES_MAX && at + 8 <= end; count += 1) {
    const header = await read(at, 16);
    if (header.length < 8) return;
    const short = header.readUInt32BE(0);
    const isLong = short === 1;
    if (isLong && header.length < 16) return;
    const size = isLong ? Number(header.readBigUInt64BE(8)) : short;
    const headerBytes = isLong ? 16 : 8;
    // 0: the rest of the file.
    if (size !== 0 && size < headerBytes) return;
    const boxEnd = size === 0 ? end : Math.min(at + size, end);
    yield { type: header.toString("latin1", 4, 8), start: at + headerBytes, end: boxEnd };
    if (size === 0) return;
    at += size;
  }
}
