import type { ResultStream } from "../../contract/gateway.js";
import type { Job } from "../../contract/job.js";

/** What Telegram takes as a photo; anything larger goes as a document. */
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
const PHOTO_SIDES_MAX = 10_000;
/** What Telegram takes from a bot at all, and what one call should weigh. */
const UPLOAD_BYTES_MAX = 50 * 1024 * 1024;
const ALBUM_ITEMS_MAX = 10;

/** As what a file is shown in the chat, in the order in which they are sent. */
export const SENT_AS = ["photo", "video", "audio", "document"] as const;
export type SentAs = (typeof SENT_AS)[number];

/** One file of an order. */
export interface Part {
  /** The place of its job in the order, from 0. */
  index: number;
  /** Its place among the tracks of that job, from 0; 0 for pictures and videos. */
  track: number;
}

/** A finished file on its way into the chat. */
export interface Outgoing extends Part, Omit<ResultStream, "stream"> {
  as: SentAs;
}

/** A finished file that cannot be sent: it is kept no more, or Telegram takes nothing of that size. */
export interface Unsent extends Part {
  reason: "gone" | "too_large";
  /** bytes */
  size: number;
  /** Where its person can fetch it for an hour; undefined where no link leads there from outside. */
  link: string | undefined;
}

/** Every file of the jobs that ended well, in the order of the jobs and their tracks. */
export function partsOf(jobs: readonly Job[]): Part[] {
  return jobs.flatMap((job, index) => {
    if (job.status !== "done") return [];
    const tracks = Math.max(1, job.result?.tracks?.length ?? 1);
    return Array.from({ length: tracks }, (_, track) => ({ index, track }));
  });
}

export function isSamePart(one: Part, other: Part): boolean {
  return one.index === other.index && one.track === other.track;
}

/** Whether Telegram takes a file of this size. */
export function isUploadable({ size }: { size: number }): boolean {
  return size <= UPLOAD_BYTES_MAX;
}

/** The address of a file for somebody outside; undefined where it leads to this machine only. */
export function publicLink(job: Job | undefined, { track }: Part): string | undefined {
  const tracks = job?.result?.tracks;
  const url = tracks ? tracks[track]?.url : job?.result?.url;
  return url?.startsWith("https://") ? url : undefined;
}

/** A file as it is best shown in a chat. */
export function outgoingOf(part: Part, file: ResultStream, job: Job | undefined): Outgoing {
  const { stream: _stream, ...facts } = file;
  const track = job?.result?.tracks?.[part.track];
  const durationSec = file.durationSec ?? track?.duration ?? job?.duration_sec;
  const title = track?.title ?? file.title;
  return {
    ...facts,
    ...part,
    as: formOf(file),
    ...(typeof durationSec === "number" && { durationSec }),
    ...(title !== undefined && { title }),
  };
}

/** What Telegram plays: MPEG-4 as a video, MP3 and M4A as music. Everything else comes as a document. */
function formOf({ mime, size, width = 0, height = 0 }: ResultStream): SentAs {
  if (mime === "video/mp4") return "video";
  if (mime === "audio/mpeg" || mime === "audio/mp4") return "audio";
  const isPhoto = mime.startsWith("image/") && size <= PHOTO_BYTES_MAX && width + height <= PHOTO_SIDES_MAX;
  return isPhoto ? "photo" : "document";
}

/** Divides files into what one call sends: one kind, at most ten, and no more bytes than one call may weigh. */
export function albumsOf(files: readonly Outgoing[]): Outgoing[][] {
  const albums: Outgoing[][] = [];
  for (const as of SENT_AS) {
    let album: Outgoing[] = [];
    for (const file of files.filter((one) => one.as === as)) {
      const bytes = [...album, file].reduce((sum, { size }) => sum + size, 0);
      if (album.length === 0 || album.length === ALBUM_ITEMS_MAX || bytes > UPLOAD_BYTES_MAX) {
        album = [];
        albums.push(album);
      }
      album.push(file);
    }
  }
  return albums;
}
