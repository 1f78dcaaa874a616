import type { Input, InputTrack } from "mediabunny";

/** What a video or audio file says of itself. */
export interface MediaFacts {
  kind: "video" | "audio";
  mime: string;
  /** Width in pixels, as shown: rotation and pixel shape are applied. */
  width?: number;
  height?: number;
  durationSec?: number;
}

const CACHE_BYTES = 1024 * 1024;

/**
 * Reads the container of an MP4, QuickTime, WebM, Matroska, MP3, WAV, FLAC, OGG or AAC file. Undefined for anything else and
 * for a file without a readable track, such as one whose end is missing. Long files without an index are read
 * whole: use a process of its own, or files that are known to have an index.
 * @param isWhole nothing was cut off on the way: the last packet is not looked for
 */
export async function readMediaFacts(path: string, isWhole = false): Promise<MediaFacts | undefined> {
  const { ADTS, FLAC, FilePathSource, Input, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } = await import(
    "mediabunny"
  );
  const source = new FilePathSource(path, { maxCacheSize: CACHE_BYTES, handleUnhandledError: () => {} });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, FLAC, OGG, ADTS] });
  try {
    return (await input.canRead()) ? await factsOf(input, isWhole) : undefined;
  } catch {
    // The readers throw on truncated or damaged bytes.
    return undefined;
  } finally {
    input.dispose();
  }
}

async function factsOf(input: Input, isWhole: boolean): Promise<MediaFacts | undefined> {
  const video = await input.getPrimaryVideoTrack();
  const track = video ?? (await input.getPrimaryAudioTrack());
  if (!track || !(isWhole || (await hasLastPacket(track)))) return undefined;
  const { mimeType } = await input.getFormat();
  const kind = video ? "video" : "audio";
  const durationSec = await input.computeDuration();
  return {
    kind,
    mime: mimeType.replace(/^(?:video|application)\//, `${kind}/`),
    ...(video && { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() }),
    ...(Number.isFinite(durationSec) && durationSec > 0 && { durationSec }),
  };
}

/** Returns false where the bytes of the last packet are beyond the end of the file. */
async function hasLastPacket(track: InputTrack): Promise<boolean> {
  const { EncodedPacketSink } = await import("mediabunny");
  const packet = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY);
  return packet !== null && packet.data.length > 0;
}
