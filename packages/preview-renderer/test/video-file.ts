import { readFile } from "node:fs/promises";
import {
  AudioDecoder,
  type AudioDecoderConfig,
  EncodedAudioChunk,
  EncodedVideoChunk,
  VideoDecoder,
  type VideoDecoderConfig,
  type VideoFrame,
} from "@napi-rs/webcodecs";
import { BufferSource, EncodedPacketSink, Input, type InputAudioTrack, MP4 } from "mediabunny";
import { expect } from "vitest";

/** One decoded picture; `data` holds its planes Y, U and V. */
export interface Picture {
  /** Seconds. */
  timestamp: number;
  width: number;
  height: number;
  format: string | null;
  data: Uint8Array;
}

/** Where a picture or its part lies, each from 0 to 1. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const WHOLE: Area = { x: 0, y: 0, width: 1, height: 1 };

export interface VideoFile {
  codec: string | null;
  width: number;
  height: number;
  colourSpace: unknown;
  /** Seconds, from the file's own words. */
  duration: number;
  /** Of each packet in order of its time, in seconds. */
  packets: readonly { timestamp: number; duration: number; type: string }[];
  sound: { codec: string | null; duration: number; channels: number; sampleRate: number } | undefined;
  /** The names of the outermost boxes, in their order. */
  boxes: readonly string[];
  /** Decodes every picture. */
  pictures(): Promise<Picture[]>;
  /** Decodes the whole sound: its channels, from where the film begins. */
  samples(): Promise<Float32Array[]>;
}

/** Opens a finished MP4 file. */
export async function openVideo(path: string): Promise<VideoFile> {
  const bytes = await readFile(path);
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const video = await input.getPrimaryVideoTrack();
  if (!video) throw new Error("no video track");
  const audio = await input.getPrimaryAudioTrack();
  const config = await video.getDecoderConfig();
  const packets: VideoFile["packets"][number][] = [];
  for await (const { timestamp, duration, type } of new EncodedPacketSink(video).packets()) {
    packets.push({ timestamp, duration, type });
  }
  return {
    codec: video.codec,
    width: video.displayWidth,
    height: video.displayHeight,
    colourSpace: config?.colorSpace,
    duration: await input.computeDuration(),
    packets: packets.sort((first, second) => first.timestamp - second.timestamp),
    sound: audio
      ? {
          codec: audio.codec,
          duration: await audio.computeDuration(),
          channels: audio.numberOfChannels,
          sampleRate: audio.sampleRate,
        }
      : undefined,
    boxes: boxesOf(bytes),
    pictures: () => (config ? picturesOf(config, new EncodedPacketSink(video)) : Promise.resolve([])),
    samples: async () => (audio ? samplesOf(audio) : []),
  };
}

const MICROSECONDS = 1e6;

async function picturesOf(config: unknown, sink: EncodedPacketSink): Promise<Picture[]> {
  const pictures: Promise<Picture>[] = [];
  const errors: Error[] = [];
  const decoder = new VideoDecoder({
    output: (frame) => pictures.push(pictureOf(frame)),
    error: (error) => errors.push(error),
  });
  decoder.configure(config as VideoDecoderConfig);
  for await (const { data, type, timestamp, microsecondDuration: duration } of sink.packets()) {
    const at = Math.round(timestamp * MICROSECONDS);
    decoder.decode(new EncodedVideoChunk({ type, timestamp: at, duration, data }));
  }
  await decoder.flush();
  decoder.close();
  expect(errors).toEqual([]);
  return Promise.all(pictures);
}

async function pictureOf(frame: VideoFrame): Promise<Picture> {
  const { format, codedWidth: width, codedHeight: height } = frame;
  const data = new Uint8Array(frame.allocationSize());
  await frame.copyTo(data);
  const timestamp = frame.timestamp / MICROSECONDS;
  frame.close();
  return { timestamp, width, height, format, data };
}

async function samplesOf(track: InputAudioTrack): Promise<Float32Array[]> {
  const { numberOfChannels, sampleRate } = track;
  const length = Math.round((await track.computeDuration()) * sampleRate);
  const channels = Array.from({ length: numberOfChannels }, () => new Float32Array(length).fill(Number.NaN));
  const errors: Error[] = [];
  // The decoder counts packets from the first; the file says how much of it lies before the film.
  let start: number | undefined;
  let at = 0;
  const decoder = new AudioDecoder({
    output(data) {
      for (const [index, channel] of channels.entries()) {
        const piece = new Float32Array(data.numberOfFrames);
        data.copyTo(piece, { planeIndex: index, format: "f32-planar" });
        for (const [offset, value] of piece.entries()) {
          const place = at + offset;
          if (place >= 0 && place < length) channel[place] = value;
        }
      }
      at += data.numberOfFrames;
      data.close();
    },
    error: (error) => errors.push(error),
  });
  decoder.configure((await track.getDecoderConfig()) as AudioDecoderConfig);
  for await (const packet of new EncodedPacketSink(track).packets()) {
    start ??= packet.timestamp;
    at = packet.timestamp === start ? Math.round(start * sampleRate) : at;
    const { data, type, microsecondDuration: duration } = packet;
    const timestamp = Math.round((packet.timestamp - start) * MICROSECONDS);
    decoder.decode(new EncodedAudioChunk({ type, timestamp, duration, data }));
  }
  await decoder.flush();
  decoder.close();
  expect(errors).toEqual([]);
  return channels;
}

/** The names of the boxes of a file or of a part of it. */
function boxesOf(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    names.push(bytes.toString("latin1", at + 4, at + 8));
    if (length < 8) break;
    at += length;
  }
  return names;
}

type Rgb = [red: number, green: number, blue: number];

/** The mean colour of a part of a picture, channels of 0 to 255; narrow range, the matrix of BT.601. */
export function colourOf({ width, height, data }: Picture, area: Area = WHOLE): Rgb {
  const mean = (offset: number, stride: number, wide: number, tall: number): number => {
    let [sum, count] = [0, 0];
    for (let y = Math.floor(area.y * tall); y < Math.floor((area.y + area.height) * tall); y++) {
      for (let x = Math.floor(area.x * wide); x < Math.floor((area.x + area.width) * wide); x++) {
        sum += data[offset + y * stride + x] ?? 0;
        count++;
      }
    }
    return sum / count;
  };
  const [wide, tall] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const y = (mean(0, width, width, height) - 16) * 1.164;
  const u = mean(width * height, wide, wide, tall) - 128;
  const v = mean(width * height + wide * tall, wide, wide, tall) - 128;
  return [y + 1.596 * v, y - 0.392 * u - 0.813 * v, y + 2.017 * u];
}

/** How far the brightness of two pictures is apart in the mean, 0 to 255. */
export function differenceOf(first: Picture, second: Picture): number {
  const count = first.width * first.height;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    sum += Math.abs((first.data[index] ?? 0) - (second.data[index] ?? 0));
  }
  return sum / count;
}
