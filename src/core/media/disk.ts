import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, statfs, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";

/** The file operations of the media store. Tests give one that is full or broken. */
export interface MediaDisk {
  /** Makes a folder and those above it, so that they survive a power cut. */
  makeDirectory(path: string): Promise<void>;
  /** Writes a new file and brings it to the disk. */
  write(path: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Brings the content of a file, or the entries of a folder, to the disk. */
  sync(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /**
   * Opens a file, or the part of it that `partOf` chooses by its size in bytes; nothing else is read. What
   * is open stays readable when it is removed meanwhile. The size is that of the whole file.
   */
  open(path: string, partOf?: PartOfFile): Promise<{ stream: Readable; size: number }>;
  stat(path: string): Promise<FileFacts>;
  /** Removes a file; one that is absent is no error. */
  remove(path: string): Promise<void>;
  /** Removes a folder with everything in it; one that is absent is no error. */
  removeTree(path: string): Promise<void>;
  /** The names in a folder; none when it is absent. */
  list(path: string): Promise<string[]>;
  /** Free bytes of the file system that holds a path. */
  freeBytes(path: string): Promise<number>;
}

/** Chooses a part of a file by its size: the places of its first and last byte; `undefined` is all of it. */
export type PartOfFile = (size: number) => { start: number; end: number } | undefined;

export interface FileFacts {
  isFile: boolean;
  /** bytes */
  size: number;
  /** When the file was last written, renamed or linked, in ms since the epoch. */
  changedAt: number;
}

/** The real disk. */
export const nodeMediaDisk: MediaDisk = {
  async makeDirectory(path) {
    const topmost = await mkdir(path, { recursive: true });
    if (topmost === undefined) return;
    // Each new folder is an entry of the folder above it.
    for (let folder = path; folder.length >= topmost.length; folder = dirname(folder))
      await syncPath(dirname(folder));
  },
  async write(path, bytes) {
    const file = await open(path, "wx");
    try {
      for await (const chunk of bytes) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  sync: syncPath,
  rename,
  async open(path, partOf) {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const part = partOf?.(size);
      return { stream: createReadStream(path, { fd: file, autoClose: true, ...part }), size };
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  async stat(path) {
    const facts = await stat(path);
    return { isFile: facts.isFile(), size: facts.size, changedAt: Math.max(facts.mtimeMs, facts.ctimeMs) };
  },
  async remove(path) {
    try {
      await unlink(path);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  },
  removeTree: (path) => rm(path, { recursive: true, force: true }),
  async list(path) {
    try {
      return await readdir(path);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  },
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** True for the error of a file or folder that is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
