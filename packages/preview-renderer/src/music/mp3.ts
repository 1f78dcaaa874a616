import { open } from "node:fs/promises";
import { SAMPLE_RATE, type Stereo } from "./synth.js";

const BITRATE_KBPS = 192;
/** Samples of one frame of MPEG-1 layer III. */
export const FRAME_SAMPLES = 1152;
/** Samples that go to the encoder at once: about half a second. */
const BATCH_SAMPLES = 20 * FRAME_SAMPLES;

/**
 * Writes an MP3 of 192 kbit/s: the tag, then the music. The encoder adds one frame, in
 * which its own delay (1105 samples with the decoder's) finds room; no sample is lost.
 */
export async function writeMp3(path: string, tag: Uint8Array, [left, right]: Stereo): Promise<void> {
  const { createMp3Encoder } = await import("wasm-media-encoders");
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 2, sampleRate: SAMPLE_RATE, bitrate: BITRATE_KBPS });
  const file = await open(path, "w");
  try {
    await file.writeFile(tag);
    for (let start = 0; start < left.length; start += BATCH_SAMPLES) {
      const end = start + BATCH_SAMPLES;
      await file.writeFile(encoder.encode([left.subarray(start, end), right.subarray(start, end)]));
    }
    await file.writeFile(encoder.finalize());
  } finally {
    await file.close();
  }
}

/** What a tag says of a track. */
export interface TrackTags {
  title: string;
  /** Its number, and of how many: `1/2`. */
  track: string;
  artist: string;
  comment: string;
  genre: string;
  /** Beats a minute. */
  bpm: number;
  durationMs: number;
  lyrics?: string;
  /** Language of the lyrics and the comment, as three letters (ISO 639-2). */
  language: string;
  /** A JPEG. */
  cover: Uint8Array;
}

const FRONT_COVER = 3;
const LATIN_1 = 0;
const UTF_16 = 1;

/**
 * An ID3v2.3 tag (https://id3.org/id3v2.3.0) to stand before the frames of an MP3. Texts are UTF-16 with
 * a byte order mark, the only encoding of this version that has every letter.
 */
export function id3Of(tags: TrackTags): Buffer {
  const { language, lyrics } = tags;
  const frames = [
    textFrame("TIT2", tags.title),
    textFrame("TRCK", tags.track),
    textFrame("TPE1", tags.artist),
    textFrame("TCON", tags.genre),
    textFrame("TBPM", String(Math.round(tags.bpm))),
    textFrame("TLEN", String(Math.round(tags.durationMs))),
    frame("COMM", spoken(language, tags.comment)),
    lyrics === undefined ? Buffer.alloc(0) : frame("USLT", spoken(language, lyrics)),
    frame("APIC", picture(tags.cover)),
  ];
  const body = Buffer.concat(frames);
  const header = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0]);
  // The size of the whole is written in groups of seven bits.
  for (let byte = 0; byte < 4; byte++) header[6 + byte] = (body.length >> (7 * (3 - byte))) & 0x7f;
  return Buffer.concat([header, body]);
}

function frame(id: string, content: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header.write(id, "latin1");
  // The size of a frame is a plain number in this version.
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

function textFrame(id: string, text: string): Buffer {
  return frame(id, Buffer.concat([Buffer.from([UTF_16]), utf16(text)]));
}

/** A text with a language and an empty description. */
function spoken(language: string, text: string): Buffer {
  const head = Buffer.concat([Buffer.from([UTF_16]), Buffer.from(language, "latin1")]);
  return Buffer.concat([head, utf16(""), Buffer.from([0, 0]), utf16(text)]);
}

function picture(cover: Uint8Array): Buffer {
  const head = Buffer.concat([Buffer.from([LATIN_1]), Buffer.from("image/jpeg\0", "latin1")]);
  return Buffer.concat([head, Buffer.from([FRONT_COVER, 0]), cover]);
}

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
}
