import { join } from "node:path";
import { FetchFailed, type GuardedFetch } from "../../platform/guarded-fetch.js";
import type { MediaDisk } from "../media/disk.js";
import { SNIFF_BYTES, sniffPicture } from "../media/file-type.js";
import { REFERENCE_BYTES_MAX } from "../media/reference-store.js";
import { NO_PICTURE, type ReferenceReader, unreadable } from "./references.js";

/** How long the download of one picture may take, in ms. */
export const DOWNLOAD_TIMEOUT_MS = 20_000;

export interface RemoteReferenceOptions {
  fetch: GuardedFetch;
  disk: MediaDisk;
}

/**
 * Reads pictures at other addresses: downloads each into the task's directory. What it is is found by its
 * first bytes, whatever the server says of it; the rest of what is no picture is not read.
 */
export function remoteReferences({ fetch, disk }: RemoteReferenceOptions): ReferenceReader {
  return async ({ link, directory, index }, signal) => {
    const path = join(directory, `reference-${index}`);
    const limits = { bytesMax: REFERENCE_BYTES_MAX, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal };
    try {
      await fetch(link, limits, (bytes) => disk.write(path, pictureOnly(bytes)));
      return path;
    } catch (cause) {
      if (!(cause instanceof FetchFailed) && !(cause instanceof NoPicture)) throw cause;
      throw unreadable(index, cause.message, { cause });
    }
  };
}

class NoPicture extends Error {
  override readonly name = "NoPicture";
  constructor() {
    super(NO_PICTURE);
  }
}

/** Holds the first bytes back until they are known to be those of a picture. */
async function* pictureOnly(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (!head) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < SNIFF_BYTES) continue;
    yield judged(head);
    head = undefined;
  }
  if (head) yield judged(head);
}

/** @throws NoPicture */
function judged(head: Buffer): Buffer {
  if (sniffPicture(head) === undefined) throw new NoPicture();
  return head;
}
