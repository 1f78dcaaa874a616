import type { Readable } from "node:stream";

export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobEntry {
  name: string;
  /** Returns when it was stored, in ms since the epoch; undefined when it no longer exists. */
  changedAt(): Promise<number | undefined>;
}

/** Stores immutable blobs by name. A name is never reused. */
export interface BlobStore {
  /**
   * Stores a blob, durably. When this rejects, the name must not be used again.
   * @param content bytes, or the path of a local file, which is moved
   * @returns its size in bytes
   * @throws StorageUnavailable, or another error when the file is absent or empty
   */
  put(name: string, content: string | AsyncIterable<Uint8Array>, mime: string): Promise<{ size: number }>;
  /** Returns undefined when the blob does not exist. The stream stays readable when the blob is deleted. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined>;
  delete(names: readonly string[]): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
  check(): Promise<void>;
}

/** Gives blobs as local files, which renderers read in place. */
export interface LocalBlobs {
  localPath(name: string): string;
}

/** Reports a store that is full, read-only, broken or inaccessible. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}
