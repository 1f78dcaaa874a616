import { crc32 } from "node:zlib";
import type { ImageSpec } from "./file-spec.js";

/** UUID of a C2PA manifest store. */
const STORE_UUID = Buffer.from("6332706100110010800000aa00389b71", "hex");
/** It has a label, and may be asked for by it. */
const TOGGLES = 0x03;
const PNG_HEAD_BYTES = 33;
const JPEG_START_BYTES = 2;

/**
 * The picture with an empty C2PA manifest store, as services sign theirs: in a `caBX` chunk of a PNG, in an APP11
 * segment of a JPEG. Source: C2PA specification 2.1, appendix A.3; ISO/IEC 19566-5 for the boxes.
 */
export function withProvenance(picture: Buffer, format: ImageSpec["format"]): Buffer {
  if (format === "png") return insert(picture, PNG_HEAD_BYTES, pngChunk("caBX", manifestStore()));
  if (format === "jpeg") return insert(picture, jpegHeadBytes(picture), jpegSegment(manifestStore()));
  return picture;
}

function manifestStore(): Buffer {
  const label = Buffer.from("c2pa\0", "latin1");
  return box("jumb", box("jumd", Buffer.concat([STORE_UUID, Buffer.from([TOGGLES]), label])));
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + content.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** The first and only segment of box 1. */
function jpegSegment(content: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xeb, 0, 0, 0x4a, 0x50, 0, 1, 0, 0, 0, 1]);
  head.writeUInt16BE(head.length - JPEG_START_BYTES + content.length, JPEG_START_BYTES);
  return Buffer.concat([head, content]);
}

/** Measures the head, with the APP0 segment, which comes first where there is one. */
function jpegHeadBytes(picture: Buffer): number {
  const hasApp0 = picture.readUInt16BE(JPEG_START_BYTES) === 0xffe0;
  return hasApp0 ? 4 + picture.readUInt16BE(4) : JPEG_START_BYTES;
}

function insert(bytes: Buffer, at: number, part: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
}
