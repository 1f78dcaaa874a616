import type { Database } from "../database/database.js";
import type { Links } from "../media/links.js";
import { keptMedia, type MediaStore } from "../media/media-store.js";
import { PictureRejectedError } from "../media/picture-check.js";

interface ReferenceRequest {
  link: string;
  /** Milliseconds since the epoch at which the job was accepted. Own links must be valid at this time. */
  acceptedAt: number;
  directory: string;
  index: number;
}

export interface Fetched {
  directory: string;
  references: readonly string[];
}

/** Reports a reference image that cannot be read. The message is shown to users. */
export class UnreadableReferenceError extends Error {
  override readonly name = "UnreadableReferenceError";
}

/** Resolves with the path of a local file; rejects with UnreadableReferenceError. */
export type ReferenceReader = (request: ReferenceRequest, signal: AbortSignal) => Promise<string>;

/** `index` starts at 0; `reason` is the end of a sentence that is shown to users. */
export function unreadableReference(
  index: number,
  reason: string,
  options?: ErrorOptions,
): UnreadableReferenceError {
  return new UnreadableReferenceError(
    `Reference picture ${index + 1} could not be read: ${reason}.`,
    options,
  );
}

/** Reads links of this service from its own store, and all others through `readRemote`. */
export function ownReferencesFirst(
  database: Database,
  store: Pick<MediaStore, "localPath">,
  links: Links,
  readRemote: ReferenceReader,
): ReferenceReader {
  return async (request, signal) => {
    const own = links.recognise(request.link, request.acceptedAt);
    if (!own || own.isExpired) return readRemote(request, signal);
    const file = keptMedia(database, own.name);
    if (!file) throw unreadableReference(request.index, "it is no longer kept");
    if (!file.mime.startsWith("image/"))
      throw unreadableReference(request.index, new PictureRejectedError("type").message);
    return store.localPath(own.name);
  };
}
