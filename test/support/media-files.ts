import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
} from "mediabunny";

/** An M4A whose sound is noise that nothing decodes. */
export async function m4a(seconds = 2) {
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: "in-memory" }),
    target: new BufferTarget(),
  });
  const source = new EncodedAudioPacketSource("opus");
  output.addAudioTrack(source);
  await output.start();
  const meta = { decoderConfig: { codec: "opus", numberOfChannels: 2, sampleRate: 48_000 } };
  for (let at = 0; at < seconds; at += 0.5) {
    await source.add(new EncodedPacket(new Uint8Array(64).fill(7), "key", at, 0.5), meta);
  }
  return finished(output);
}

/** The headers of Opus in an Ogg file: https://www.rfc-editor.org/rfc/rfc7845#section-5.1 */
const OPUS_HEAD = Buffer.from("4f7075734865616401020000" + "80bb0000" + "000000", "hex");

/** An Ogg file whose Opus sound is noise that nothing decodes. */
export async function opus(seconds = 2) {
  const output = new Output({ format: new OggOutputFormat(), target: new BufferTarget() });
  const source = new EncodedAudioPacketSource("opus");
  output.addAudioTrack(source);
  await output.start();
  const decoderConfig = {
    codec: "opus",
    numberOfChannels: 2,
    sampleRate: 48_000,
    description: new Uint8Array(OPUS_HEAD),
  };
  for (let at = 0; at < seconds; at += 0.02) {
    await source.add(new EncodedPacket(new Uint8Array(64).fill(0xfc), "key", at, 0.02), { decoderConfig });
  }
  return finished(output);
}

async function finished(output: Output<Mp4OutputFormat | OggOutputFormat, BufferTarget>): Promise<Buffer> {
  await output.finalize();
  return Buffer.from(output.target.buffer ?? new ArrayBuffer(0));
}

/** Silence of 8000 bytes a second. */
export function wav(seconds = 2): Buffer {
  const data = Buffer.alloc(8000 * seconds, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** MPEG-1 layer III at 128 kbit/s and 44 100 Hz: frames of 417 bytes, 26 ms each. */
export function mp3(frames = 80): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0xc0]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}
