import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Boundary } from "../../platform/boundary.js";
import type { Ids } from "../../platform/ids.js";
import { isAbsent, type MediaDisk, type PartOfFile } from "./disk.js";
import { extensionOf } from "./file-type.js";

export interface MediaStoreOptions {
  disk: MediaDisk;
  /** The media folder; files and temporary folders lie below it, on one file system. */
  directory: string;
  ids: Ids;
  boundary: Boundary;
}

/** A file that was taken into the store, and is on the disk. */
export interface StoredFile {
  name: string;
  /** bytes */
  size: number;
}

/**
 * Files by random name: `files/ab/cd/abcd….webp`. It knows no rows: what is stored and has no row is an
 * orphan, and is removed at a later start.
 */
export class MediaStore {
  readonly #options: MediaStoreOptions;
  readonly filesDirectory: string;
  readonly temporaryDirectory: string;

  constructor(options: MediaStoreOptions) {
    this.#options = options;
    this.filesDirectory = join(options.directory, "files");
    this.temporaryDirectory = join(options.directory, "tmp");
  }

  /** Makes an empty folder for one piece of work. Remove it with `discard`. */
  async workDirectory(label: string): Promise<string> {
    const { disk, ids } = this.#options;
    const directory = join(this.temporaryDirectory, `${label}-${ids.file().slice(0, 8)}`);
    await disk.makeDirectory(directory);
    return directory;
  }

  async discard(directory: string): Promise<void> {
    await this.#options.disk.removeTree(directory);
  }

  /** Removes what work of an earlier process left. Only before work starts. */
  async discardLeftovers(): Promise<void> {
    const { disk } = this.#options;
    for (const name of await disk.list(this.temporaryDirectory))
      await disk.removeTree(join(this.temporaryDirectory, name));
  }

  /** Takes a finished file of a work directory into the store; it is on the disk when this resolves. */
  async adopt(path: string, mime: string): Promise<StoredFile> {
    const { disk, ids, boundary } = this.#options;
    const { isFile, size } = await disk.stat(path);
    if (!isFile || size === 0) throw new Error("an empty result");
    const name = `${ids.file()}.${extensionOf(mime)}`;
    const folder = this.#folderOf(name);
    await disk.sync(path);
    await disk.makeDirectory(folder);
    boundary("media:before-rename");
    await disk.rename(path, join(folder, name));
    boundary("media:after-rename");
    await disk.sync(folder);
    return { name, size };
  }

  /** Opens a stored file or a part of it, or answers `undefined` when it is not there. */
  async open(name: string, partOf?: PartOfFile): Promise<{ stream: Readable; size: number } | undefined> {
    try {
      return await this.#options.disk.open(this.pathOf(name), partOf);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await this.#options.disk.remove(this.pathOf(name));
  }

  pathOf(name: string): string {
    return join(this.#folderOf(name), name);
  }

  #folderOf(name: string): string {
    return join(this.filesDirectory, name.slice(0, 2), name.slice(2, 4));
  }
}
