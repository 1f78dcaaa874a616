import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, statfs, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { Unavailable } from "../contract/errors.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { hasCode, whereMissing } from "../platform/errors.js";
import type { Logger } from "../platform/logger.js";
import { type BackOff, backOffMs } from "../platform/retry.js";

export interface ByteRange {
  start: number;
  end: number;
}

/** Reports a store that is full, read-only, broken or inaccessible. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

const STORAGE_CODES = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOTDIR", "EIO"];

/** Maps such system errors to StorageUnavailable. Returns other errors unchanged. */
export function asStorageError(error: unknown): unknown {
  return hasCode(error, ...STORAGE_CODES) ? unavailable(error) : error;
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

const FREE_SPACE_FRESH_MS = 1000;
const PROBE_FRESH_MS = 5000;
const PROBE_BACK_OFF: BackOff = { firstMs: 1000, maxMs: 15_000 };

/** Knows whether results can be written. A failed write marks storage bad, a successful probe good. */
export class StorageHealth {
  #isGood = true;
  #probedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #check: Promise<void> | undefined;
  #failedProbes = 0;
  #cancelTimer: CancelTimer = () => {};
  #isStopped = false;

  /** @param store `requireSpace` is cheaper than `check`. It passes while there is free space */
  constructor(
    private readonly store: { check(): Promise<void>; requireSpace(): Promise<void> },
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly onRecovered: () => void,
  ) {}

  get isGood(): boolean {
    return this.#isGood;
  }

  /** Probes storage, unless it was found good within seconds. Throws Unavailable `storage`. */
  async require(): Promise<void> {
    if (this.#isGood && this.clock.monotonic() - this.#lookedAt < FREE_SPACE_FRESH_MS) return;
    this.#check ??= this.#examine().finally(() => {
      this.#check = undefined;
    });
    await this.#check;
    if (!this.#isGood) throw new Unavailable("storage");
  }

  markBad(cause: unknown): void {
    if (!this.#isGood) return;
    this.logger.error({ err: cause }, "storage bad");
    this.#isGood = false;
    this.#failedProbes = 0;
    this.#scheduleProbe();
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#probe();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  async #examine(): Promise<void> {
    const isProbeFresh = this.clock.monotonic() - this.#probedAt < PROBE_FRESH_MS;
    if (!this.#isGood || !isProbeFresh) return this.#probe();
    try {
      await this.store.requireSpace();
      this.#lookedAt = this.clock.monotonic();
    } catch (error) {
      this.markBad(error);
    }
  }

  async #probe(): Promise<void> {
    try {
      await this.store.check();
    } catch (error) {
      this.markBad(error);
      this.#failedProbes += 1;
      this.#scheduleProbe();
      return;
    }
    this.#probedAt = this.clock.monotonic();
    this.#lookedAt = this.#probedAt;
    this.#cancelTimer();
    if (this.#isGood) return;
    this.#isGood = true;
    this.logger.info("storage good");
    this.onRecovered();
  }

  #scheduleProbe(): void {
    this.#cancelTimer();
    if (this.#isStopped) return;
    const delayMs = backOffMs(this.#failedProbes + 1, PROBE_BACK_OFF);
    this.#cancelTimer = this.clock.after(delayMs, () => void this.require().catch(() => {}));
  }
}

export interface MediaDisk {
  /** Creates a folder and its parents durably. */
  makeDirectory(path: string): Promise<void>;
  /** Writes a new file durably. */
  write(path: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  sync(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Opens a file or a range of it. The stream stays readable when the file is removed. */
  open(path: string, range?: ByteRange): Promise<Readable>;
  stat(path: string): Promise<FileStat>;
  remove(path: string): Promise<void>;
  removeTree(path: string): Promise<void>;
  /** Returns no names when the folder is absent. */
  list(path: string): Promise<string[]>;
  /** Free bytes of the file system that holds `path`. */
  freeBytes(path: string): Promise<number>;
}

export interface FileStat {
  isFile: boolean;
  size: number;
  /** Milliseconds since the epoch at which it was last written, renamed or linked. */
  changedAt: number;
}

export const nodeMediaDisk: MediaDisk = {
  makeDirectory,
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
  async open(path, range) {
    const file = await open(path, "r");
    return createReadStream(path, { fd: file, autoClose: true, ...range });
  },
  async stat(path) {
    const facts = await stat(path);
    return { isFile: facts.isFile(), size: facts.size, changedAt: Math.max(facts.mtimeMs, facts.ctimeMs) };
  },
  remove: (path) => unlink(path).catch(whereMissing(undefined)),
  removeTree: (path) => rm(path, { recursive: true, force: true }),
  list: (path) => readdir(path).catch(whereMissing([])),
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

/** Creates one level at a time: Node's recursive mkdir reports ENOENT, not EROFS, on a read-only file system. */
async function makeDirectory(path: string): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    if (!hasCode(error, "ENOENT")) throw error;
    await makeDirectory(parent);
    return makeDirectory(path);
  }
  await syncPath(parent);
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
