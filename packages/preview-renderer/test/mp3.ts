/** Samples of -1 to 1. */
export interface Sound {
  left: Float32Array;
  right: Float32Array;
}

/** The frames of an ID3v2.3 tag by their names, and where the music begins. */
export function readId3(file: Buffer): { frames: Map<string, Buffer>; end: number } {
  if (file.toString("latin1", 0, 3) !== "ID3" || file[3] !== 3) throw new Error("no ID3v2.3");
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (file[at] ?? 0), 0);
  const frames = new Map<string, Buffer>();
  let at = 10;
  while (at < 10 + size) {
    const length = file.readUInt32BE(at + 4);
    frames.set(file.toString("latin1", at, at + 4), file.subarray(at + 10, at + 10 + length));
    at += 10 + length;
  }
  if (at !== 10 + size) throw new Error("the frames do not fill the tag");
  return { frames, end: at };
}

/** A text behind its encoding, which must be UTF-16 with a byte order mark. */
export function textOf(frame: Buffer | undefined, skip = 1): string {
  if (frame?.[0] !== 1 || frame.readUInt16BE(skip) !== 0xfffe) throw new Error("no UTF-16");
  return frame.toString("utf16le", skip + 2);
}

/** Language and text of a frame with an empty description. */
export function spokenOf(frame: Buffer | undefined): { language: string; text: string } {
  if (frame?.readUInt16BE(6) !== 0) throw new Error("a description");
  return { language: frame.toString("latin1", 1, 4), text: textOf(frame, 8) };
}

/** Mime type, kind and bytes of a picture. */
export function pictureOf(frame: Buffer | undefined): { mime: string; kind: number; bytes: Buffer } {
  if (frame?.[0] !== 0) throw new Error("no picture");
  const end = frame.indexOf(0, 1);
  return {
    mime: frame.toString("latin1", 1, end),
    kind: frame[end + 1] ?? -1,
    bytes: frame.subarray(frame.indexOf(0, end + 2) + 1),
  };
}

/** How many frames of 192 kbit/s at 44.1 kHz stand behind one another without a gap. */
export function countFrames(file: Buffer, start: number): number {
  let count = 0;
  let at = start;
  for (; at < file.length; count++) {
    const header = file.readUInt32BE(at);
    // MPEG-1 layer III, 192 kbit/s, 44.1 kHz, without checksum.
    if (header >>> 16 !== 0xfffb || ((header >>> 10) & 0x3f) !== 0b1011_00)
      throw new Error(`no frame at ${at}`);
    at += 626 + ((header >>> 9) & 1);
  }
  if (at !== file.length) throw new Error("the last frame is cut");
  return count;
}
