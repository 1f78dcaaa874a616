import { join } from "node:path";
import type { Readable } from "node:stream";
import type { FailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import { type ByteRange, isAbsent, type MediaDisk, StorageUnavailable } from "./disk.js";

export interface BlobEntry {
  name: string;
  /** Returns when it was stored, in ms since the epoch; undefined when it no longer exists. */
  changedAt(): Promise<number | undefined>;
}

const STORAGE_CODES = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM|ENOTDIR|EIO)$/;

/** Maps such system errors to StorageUnavailable. Returns other errors unchanged. */
export function asStorageError(error: unknown): unknown {
  const isStorage = error instanceof Error && "code" in error && STORAGE_CODES.test(String(error.code));
  return isStorage ? unavailable(error) : error;
}

/** Runs work that only writes files. Rejects with StorageUnavailable when it cannot write. */
export async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(cause: unknown): StorageUnavailable {
  if (cause instanceof StorageUnavailable) return cause;
  return new StorageUnavailable(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Free space that new work must leave, so that running jobs can finish. */
const STORAGE_RESERVE_BYTES = 64 * 1024 * 1024;

const PROBE_BYTES = Buffer.alloc(4096, "atelier ");

/**
 * Stores immutable blobs as files. A name is never reused. A blob is synced, then moved to its name, then its folder is
 * synced.
 */
export class FileBlobStore {
  readonly #root: string;

  /**
   * @param directory has the blobs, as `files/ab/cd/abcd….webp`
   * @param draftDirectory in which blobs are written before they are moved, on the same file system
   */
  constructor(
    private readonly disk: MediaDisk,
    directory: string,
    private readonly draftDirectory: string,
    private readonly ids: Ids,
    private readonly failPoint: FailPoint,
  ) {
    this.#root = join(directory, "files");
  }

  /**
   * Stores a blob, durably. When this rejects, the name must not be used again.
   * @param content bytes, or the path of a local file, which is moved
   * @returns its size in bytes
   * @throws StorageUnavailable, or another error when the file is absent or empty
   */
  async put(name: string, content: string | AsyncIterable<Uint8Array>): Promise<{ size: number }> {
    if (typeof content === "string") return this.#move(content, name);
    const draft = await this.#writeDraft(name, content);
    try {
      return await this.#move(draft, name);
    } catch (error) {
      await this.disk.remove(draft).catch(() => {});
      throw error;
    }
  }

  /** Returns undefined when the blob does not exist. The stream stays readable when the blob is deleted. */
  async open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      return await this.disk.open(this.localPath(name), range);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async delete(names: readonly string[]): Promise<void> {
    for (const name of names) await this.disk.remove(this.localPath(name));
  }

  async *list(): AsyncGenerator<BlobEntry> {
    const { disk } = this;
    for (const first of await disk.list(this.#root)) {
      for (const second of await disk.list(join(this.#root, first))) {
        const folder = join(this.#root, first, second);
        for (const name of await disk.list(folder))
          yield { name, changedAt: () => this.#changedAt(join(folder, name)) };
      }
    }
  }

  async check(): Promise<void> {
    await writing(() =>
      this.#probe().catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
        return this.#probe();
      }),
    );
    await this.requireSpace();
  }

  /** Checks the free space alone, which is cheaper than `check`. Rejects with StorageUnavailable. */
  async requireSpace(): Promise<void> {
    const free = await writing(() => this.disk.freeBytes(this.#root));
    if (free < STORAGE_RESERVE_BYTES) throw new StorageUnavailable(`only ${free} bytes are free for media`);
  }

  localPath(name: string): string {
    return join(this.#folderOf(name), name);
  }

  async #writeDraft(name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const { disk, draftDirectory } = this;
    const draft = join(draftDirectory, name);
    try {
      await disk.makeDirectory(draftDirectory);
      await disk.write(draft, bytes);
      return draft;
    } catch (error) {
      await disk.remove(draft).catch(() => {});
      throw asStorageError(error);
    }
  }

  async #move(path: string, name: string): Promise<{ size: number }> {
    const { disk, failPoint } = this;
    const { isFile, size } = await disk.stat(path).catch((error: unknown) => {
      throw asStorageError(error);
    });
    if (!isFile || size === 0) throw new Error("the result is empty");
    const folder = this.#folderOf(name);
    await writing(async () => {
      await disk.sync(path);
      await disk.makeDirectory(folder);
      failPoint("media:before-rename");
      await disk.rename(path, this.localPath(name));
      failPoint("media:after-rename");
      await disk.sync(folder);
    });
    return { size };
  }

  async #probe(): Promise<void> {
    const { disk, ids, draftDirectory } = this;
    const name = `probe-${ids.file()}`;
    const draft = join(draftDirectory, name);
    try {
      await disk.makeDirectory(draftDirectory);
      await disk.makeDirectory(this.#folderOf(name));
      await disk.write(draft, [PROBE_BYTES]);
      await disk.rename(draft, this.localPath(name));
      await disk.remove(this.localPath(name));
    } catch (error) {
      for (const path of [draft, this.localPath(name)]) await disk.remove(path).catch(() => {});
      throw error;
    }
  }

  async #changedAt(path: string): Promise<number | undefined> {
    try {
      return (await this.disk.stat(path)).changedAt;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  #folderOf(name: string): string {
    return join(this.#root, name.slice(0, 2), name.slice(2, 4));
  }
}
