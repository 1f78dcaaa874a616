import { join } from "node:path";
import type { Ids } from "../platform/ids.js";
import { asStorageError, type MediaDisk, writing } from "./disk.js";

export class WorkDirectories {
  readonly #inUse = new Set<string>();

  /** @param directory folder on the file system of the blobs, because finished files are moved */
  constructor(
    private readonly disk: MediaDisk,
    private readonly directory: string,
    private readonly ids: Ids,
  ) {}

  /** Creates an empty folder; rejects with StorageUnavailable. Remove it with `discard`. */
  async make(label: string): Promise<string> {
    const path = join(this.directory, `${label}-${this.ids.file().slice(0, 8)}`);
    this.#inUse.add(path);
    try {
      await writing(() => this.disk.makeDirectory(path));
    } catch (error) {
      this.#inUse.delete(path);
      throw error;
    }
    return path;
  }

  async discard(path: string): Promise<void> {
    this.#inUse.delete(path);
    await this.disk.removeTree(path);
  }

  async discardUnused(): Promise<void> {
    for (const name of await this.disk.list(this.directory)) {
      const path = join(this.directory, name);
      if (!this.#inUse.has(path)) await this.disk.removeTree(path);
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
