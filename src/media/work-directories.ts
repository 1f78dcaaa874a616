import { join } from "node:path";
import type { Ids } from "../platform/ids.js";
import type { MediaDisk } from "./disk.js";
import { asStorageError, writing } from "./file-blob-store.js";

export interface WorkDirectoriesOptions {
  disk: MediaDisk;
  /** Folder on the file system of the blobs, because finished files are moved. */
  directory: string;
  ids: Ids;
}

export class WorkDirectories {
  readonly #options: WorkDirectoriesOptions;
  readonly #inUse = new Set<string>();

  constructor(options: WorkDirectoriesOptions) {
    this.#options = options;
  }

  /** Creates an empty folder; rejects with StorageUnavailable. Remove it with `discard`. */
  async make(label: string): Promise<string> {
    const { disk, directory, ids } = this.#options;
    const path = join(directory, `${label}-${ids.file().slice(0, 8)}`);
    this.#inUse.add(path);
    try {
      await writing(() => disk.makeDirectory(path));
    } catch (error) {
      this.#inUse.delete(path);
      throw error;
    }
    return path;
  }

  async discard(path: string): Promise<void> {
    this.#inUse.delete(path);
    await this.#options.disk.removeTree(path);
  }

  async discardUnused(): Promise<void> {
    const { disk, directory } = this.#options;
    for (const name of await disk.list(directory)) {
      const path = join(directory, name);
      if (!this.#inUse.has(path)) await disk.removeTree(path);
    }
  }
}

/** Throws StorageUnavailable, or the error from reading `bytes`. */
export async function writeWorkFile(
  disk: MediaDisk,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    await disk.write(path, bytes);
  } catch (error) {
    throw asStorageError(error);
  }
}
