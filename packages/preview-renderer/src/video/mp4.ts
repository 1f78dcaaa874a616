import type { Codecs } from "./codecs.js";
import { FRAME_RATE } from "./film.js";
import { clearDates } from "./mp4-dates.js";
import type { Recording } from "./recorder.js";
import type { SoundRecording } from "./sound-recorder.js";
import type { VideoSize } from "./video-size.js";

/**
 * Pictures are converted with the matrix of SD video and narrow range, whatever the encoder says of itself
 * (it names the RGB that it was given), so that is what the file has to say.
 */
const COLOUR_SPACE = {
  primaries: "bt709",
  transfer: "bt709",
  matrix: "smpte170m",
  fullRange: false,
} as const;

/**
 * Packs a film and its sound into an MP4 file that can be played while it loads: all that describes it
 * stands before the pictures and the sound.
 */
export async function packMp4(
  { mediabunny }: Codecs,
  { width, height }: VideoSize,
  film: Recording,
  sound: SoundRecording | undefined,
): Promise<Uint8Array> {
  const { Output, Mp4OutputFormat, BufferTarget, EncodedVideoPacketSource, EncodedAudioPacketSource } =
    mediabunny;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const video = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(video, { frameRate: FRAME_RATE });
  const audio = sound && new EncodedAudioPacketSource("aac");
  if (audio) output.addAudioTrack(audio);
  await output.start();

  const { codec, description } = film;
  const decoderConfig = {
    codec,
    description,
    codedWidth: width,
    codedHeight: height,
    colorSpace: COLOUR_SPACE,
  };
  const added: Promise<void>[] = [];
  const addSoundUntil = soundFeeder(mediabunny, sound, audio, added);
  for (const { data, isKey, index } of film.packets) {
    const packet = new mediabunny.EncodedPacket(
      data,
      isKey ? "key" : "delta",
      index / FRAME_RATE,
      1 / FRAME_RATE,
    );
    added.push(video.add(packet, { decoderConfig }));
    // In the order of their times, so that a player finds both close together.
    addSoundUntil((index + 1) / FRAME_RATE);
  }
  addSoundUntil(Number.POSITIVE_INFINITY);
  await Promise.all(added);
  await output.finalize();
  const file = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  clearDates(file);
  return file;
}

type SoundSource = InstanceType<Codecs["mediabunny"]["EncodedAudioPacketSource"]>;

/** Adds the packets of the sound up to a time in seconds, each once. */
function soundFeeder(
  { EncodedPacket }: Codecs["mediabunny"],
  sound: SoundRecording | undefined,
  source: SoundSource | undefined,
  added: Promise<void>[],
): (untilSec: number) => void {
  if (!sound || !source) return () => {};
  const { decoderConfig } = sound;
  const waiting = [...sound.packets].reverse();
  return (untilSec) => {
    for (let next = waiting.at(-1); next && next.startSec < untilSec; next = waiting.at(-1)) {
      waiting.pop();
      const packet = new EncodedPacket(next.data, "key", next.startSec, next.durationSec);
      added.push(source.add(packet, { decoderConfig }));
    }
  };
}
