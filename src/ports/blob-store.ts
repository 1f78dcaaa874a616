import type { Readable } from "node:stream";

export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobEntry {
  name: string;
  /** When it was stored, in ms since the epoch; undefined when it no longer exists. */
  changedAt(): Promise<number | undefined>;
}

/** Immutable blobs by name. A name is never reused. */
export interface BlobStore {
  /**
   * Stores a blob, durably. When this rejects, the name must not be used again.
   * @param content bytes, or the path of a local file, which is moved
   * @returns its size in bytes
   * @throws StorageUnavailable, or another error when the file is absent or empty
   */
  put(name: string, content: string | AsyncIterable<Uint8Array>, mime: string): Promise<{ size: number }>;
  /** Undefined when the blob does not exist. The stream stays readable when the blob is deleted. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined>;
  delete(names: readonly string[]): Promise<void>;
  list(): AsyncIterable<BlobEntry>;
  check(): Promise<void>;
}

/** A store whose blobs are local files, which renderers read in place. */
export interface LocalBlobs {
  localPath(name: string): string;
}

/** The store is full, read-only, broken or inaccessible. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}
