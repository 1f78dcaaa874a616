import { crc32, deflateSync } from "node:zlib";

export interface PngFacts {
  width: number;
  height: number;
  /** Sides that the header states instead of the true ones. */
  stated?: { width: number; height: number };
  /** The file is filled up to so many bytes. */
  bytes?: number;
  /** True for 8 bits of red, green, blue and alpha a pixel, which decoders keep as they are. */
  isColoured?: boolean;
}

/** A PNG of one colour, by default of one bit a pixel: a small file, however many pixels it has. */
export function bigPng(facts: PngFacts): Buffer {
  const { width, height, stated = { width, height }, bytes = 0, isColoured = false } = facts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(stated.width, 0);
  header.writeUInt32BE(stated.height, 4);
  header.writeUInt8(isColoured ? 8 : 1, 8);
  header.writeUInt8(isColoured ? 6 : 0, 9);
  const rows = Buffer.alloc(((isColoured ? width * 4 : Math.ceil(width / 8)) + 1) * height);
  const parts = [
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
  ];
  const missing = bytes - Buffer.concat(parts).length;
  if (missing > 0) parts.splice(2, 0, pngChunk("teXt", Buffer.alloc(missing, "x")));
  return Buffer.concat([...parts, pngChunk("IEND", Buffer.alloc(0))]);
}

export function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
