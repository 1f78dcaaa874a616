import type { Readable } from "node:stream";
import type { Ids } from "../platform/ids.js";
import type { BlobEntry, BlobStore, ByteRange } from "../ports/blob-store.js";
import { extensionOf } from "./file-type.js";

export interface StoredFile {
  name: string;
  size: number;
}

export interface MediaStoreOptions {
  blobs: BlobStore;
  ids: Ids;
}

/** Stores files under random names. The hourly cleanup removes files that have no row and wait for none. */
export class MediaStore {
  readonly #blobs: BlobStore;
  readonly #ids: Ids;
  readonly #awaitingRow = new Set<string>();

  constructor({ blobs, ids }: MediaStoreOptions) {
    this.#blobs = blobs;
    this.#ids = ids;
  }

  /** Moves a local file into the store. It is not an orphan until `release`. Throws like `BlobStore.put`. */
  async add(path: string, mime: string): Promise<StoredFile> {
    const name = `${this.#ids.file()}.${extensionOf(mime)}`;
    this.#awaitingRow.add(name);
    try {
      return { name, ...(await this.#blobs.put(name, path, mime)) };
    } catch (error) {
      this.#awaitingRow.delete(name);
      throw error;
    }
  }

  /** Call when the rows of these files are written or never will be. */
  release(files: readonly Pick<StoredFile, "name">[]): void {
    for (const { name } of files) this.#awaitingRow.delete(name);
  }

  isAwaitingRow(name: string): boolean {
    return this.#awaitingRow.has(name);
  }

  open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.#blobs.open(name, range);
  }

  async remove(name: string): Promise<void> {
    this.release([{ name }]);
    await this.#blobs.delete([name]);
  }

  list(): AsyncIterable<BlobEntry> {
    return this.#blobs.list();
  }
}
