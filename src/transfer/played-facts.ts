import type { Input } from "mediabunny";
import type { ReadAt } from "./remote-bytes.js";

/** What a player shows. Sides are those of the displayed picture. */
export interface PlayedFacts {
  width?: number;
  height?: number;
  durationSec?: number;
}

/** A file's bytes, and how many there are. The reads may be limited: what is beyond stays unknown. */
export interface PlayedFile {
  readAt: ReadAt;
  /** Bytes. Undefined where they are not known: then an MP3, whose duration needs its size, is not read. */
  size: number | undefined;
}

/**
 * Reads the sides and the duration that an MP4 or MP3 file tells in its index or its first frame; the media is skipped.
 * What is damaged or unknown stays unset.
 */
export async function readPlayedFacts({ readAt, size }: PlayedFile): Promise<PlayedFacts> {
  const { CustomSource, Input, MP3, MP4, QTFF } = await import("mediabunny");
  let last: Promise<unknown> = Promise.resolve();
  const source = new CustomSource({
    getSize: () => size ?? Number.MAX_SAFE_INTEGER,
    // One after the other: a remote file has one open stretch.
    read: (start, end) => {
      const bytes = last.then(() => readAt(start, end - start));
      last = bytes.catch(() => {});
      return bytes;
    },
    handleUnhandledError: () => {},
  });
  const input = new Input({ source, formats: size === undefined ? [MP4, QTFF] : [MP4, QTFF, MP3] });
  try {
    return (await input.canRead()) ? await factsOf(input) : {};
  } catch {
    // The readers throw on truncated or damaged bytes.
    return {};
  } finally {
    input.dispose();
  }
}

async function factsOf(input: Input): Promise<PlayedFacts> {
  const video = await input.getPrimaryVideoTrack();
  const durationSec = await input.getDurationFromMetadata();
  return {
    ...(video && { width: await video.getDisplayWidth(), height: await video.getDisplayHeight() }),
    ...(durationSec !== null && isTold(durationSec) && { durationSec }),
  };
}

function isTold(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
