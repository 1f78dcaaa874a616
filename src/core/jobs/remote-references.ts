import { join } from "node:path";
import type { MediaDisk } from "../../media/disk.js";
import { checkedPicture, PictureRejectedError } from "../../media/picture-check.js";
import { REFERENCE_BYTES_MAX } from "../../media/reference-store.js";
import { writeWorkFile } from "../../media/work-directories.js";
import { FetchError, type GuardedFetch, type LeastRate } from "../../platform/guarded-fetch.js";
import { REFERENCES_TIMEOUT_MS } from "./fetch-references.js";
import { type ReferenceReader, unreadableReference } from "./references.js";

/** A server has 20 s to respond before the minimum rate applies. */
const LEAST_RATE: LeastRate = { graceMs: 20_000, bytesPerSec: 16 * 1024 };

export interface RemoteReferenceOptions {
  fetch: GuardedFetch;
  disk: MediaDisk;
}

/** Downloads external references. A file whose first bytes are rejected is not read further. */
export function remoteReferences({ fetch, disk }: RemoteReferenceOptions): ReferenceReader {
  return async ({ link, directory, index }, signal) => {
    const path = join(directory, `reference-${index}`);
    const limits = {
      bytesMax: REFERENCE_BYTES_MAX,
      timeoutMs: REFERENCES_TIMEOUT_MS,
      leastRate: LEAST_RATE,
      signal,
    };
    try {
      await fetch(link, limits, (bytes) => writeWorkFile(disk, path, checkedPicture(bytes)));
      return path;
    } catch (cause) {
      if (!(cause instanceof FetchError) && !(cause instanceof PictureRejectedError)) throw cause;
      throw unreadableReference(index, cause.message, { cause });
    }
  };
}
