const CONTAINERS: ReadonlySet<string> = new Set(["moov", "trak", "mdia"]);
/** Boxes that begin with version, flags, creation and modification time. */
const DATED: ReadonlySet<string> = new Set(["mvhd", "tkhd", "mdhd"]);
const HEADER_BYTES = 8;

/**
 * Clears the dates of creation and modification in an MP4 file, in place, so that the same film gives the
 * same bytes on any day. Zero stands for an unknown date.
 */
export function clearDates(file: Uint8Array): void {
  clearIn(new DataView(file.buffer, file.byteOffset, file.byteLength), 0, file.byteLength);
}

function clearIn(view: DataView, start: number, end: number): void {
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const length = boxLength(view, at, end);
    if (length < HEADER_BYTES) return;
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    if (CONTAINERS.has(name)) clearIn(view, at + HEADER_BYTES, at + length);
    if (DATED.has(name)) {
      const isLong = view.getUint8(at + HEADER_BYTES) === 1;
      const dates = at + HEADER_BYTES + 4;
      for (let offset = 0; offset < (isLong ? 16 : 8); offset++) view.setUint8(dates + offset, 0);
    }
    at += length;
  }
}

/** A length of 0 reaches to the end, and 1 says that a long one follows. */
function boxLength(view: DataView, at: number, end: number): number {
  const short = view.getUint32(at);
  if (short === 0) return end - at;
  return short === 1 ? Number(view.getBigUint64(at + HEADER_BYTES)) : short;
}
