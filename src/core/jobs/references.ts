import type { Database } from "../../database/database.js";
import type { Links } from "../media/links.js";
import { keptMedia } from "../media/media-rows.js";
import type { MediaStore } from "../media/media-store.js";
import { GenerationFailed } from "./provider.js";

/** The picture that a job refers to, and where it may be put. */
export interface ReferenceWish {
  link: string;
  /** When the job was accepted, in ms since the epoch: a link of ours need not live longer. */
  acceptedAt: number;
  /** The task's own directory. */
  directory: string;
  /** The place of the link among those of the job, from 0. */
  index: number;
}

/**
 * Answers with the path of a local file that holds the picture.
 * @throws GenerationFailed `reference`
 */
export type ReferenceReader = (wish: ReferenceWish, signal: AbortSignal) => Promise<string>;

/** What is said of a file that is no picture, as the end of a sentence. */
export const NO_PICTURE = "it is no PNG, JPEG or WebP picture";

/**
 * The failure of a job whose picture could not be read.
 * @param index the place of its link, from 0
 * @param reason the end of a sentence that may be shown to whoever gave the link
 */
export function unreadable(index: number, reason: string, options?: ErrorOptions): GenerationFailed {
  const message = `Reference picture ${index + 1} could not be read: ${reason}.`;
  return new GenerationFailed("reference", message, options);
}

/** Used where nothing else was given: pictures at other addresses are not fetched. */
export const noRemoteReferences: ReferenceReader = () =>
  Promise.reject(new GenerationFailed("reference", "A reference picture could not be fetched."));

export interface OwnReferenceOptions {
  database: Database;
  store: MediaStore;
  links: Links;
}

/** Reads pictures behind links of this service from its own store, every other one through `readRemote`. */
export function ownReferencesFirst(
  { database, store, links }: OwnReferenceOptions,
  readRemote: ReferenceReader,
): ReferenceReader {
  return async (wish, signal) => {
    const own = links.recognise(wish.link, wish.acceptedAt);
    if (!own || own.isExpired) return readRemote(wish, signal);
    const file = keptMedia(database, own.name);
    if (!file) throw unreadable(wish.index, "it is kept no more");
    if (!file.mime.startsWith("image/")) throw unreadable(wish.index, NO_PICTURE);
    return store.pathOf(own.name);
  };
}
