import { dirname } from "node:path";
import { Readable } from "node:stream";
import type { FileStat, MediaDisk } from "../../src/media/disk.js";
import type { Clock } from "../../src/platform/clock.js";

interface File {
  bytes: Buffer;
  changedAt: number;
}

const FREE_BYTES = 2 ** 40;
/** A process that found it full looks again so soon. */
const PROBED_MS = 15_000;

/** A disk in memory that may be full. What is on it outlives the processes. */
export class MemoryDisk implements MediaDisk {
  readonly #files = new Map<string, File>();
  #isFull = false;
  /** Until then, by the monotonic clock, there was no room for files. */
  #fullUntil = Number.NEGATIVE_INFINITY;
  /** Whether there was no room for something. */
  wasFull = false;
  /** Until then, by the monotonic clock, the database gets no room for a commit. */
  databaseFullUntil = 0;

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {}

  get isFull(): boolean {
    return this.#isFull;
  }

  set isFull(isFull: boolean) {
    if (this.#isFull && !isFull) this.#fullUntil = this.clock.monotonic();
    this.#isFull = isFull;
  }

  /** Whether there was room for all since then, and a process has noticed it. */
  hasRoomSince(since: number): boolean {
    return !this.#isFull && Math.max(this.databaseFullUntil, this.#fullUntil + PROBED_MS) < since;
  }

  /** Whether the database, which lies on it too, gets no room for a commit. */
  get isDatabaseFull(): boolean {
    const isFull = this.clock.monotonic() < this.databaseFullUntil;
    this.wasFull ||= isFull;
    return isFull;
  }

  async makeDirectory(): Promise<void> {
    this.#requireRoom();
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    this.#requireRoom();
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    this.#files.set(path, { bytes: Buffer.concat(chunks), changedAt: this.clock.now() });
  }

  async sync(): Promise<void> {}

  async rename(from: string, to: string): Promise<void> {
    const file = this.#find(from);
    this.#files.delete(from);
    this.#files.set(to, { ...file, changedAt: this.clock.now() });
  }

  async open(path: string, range?: { start: number; end: number }): Promise<Readable> {
    const { bytes } = this.#find(path);
    return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]);
  }

  async stat(path: string): Promise<FileStat> {
    const { bytes, changedAt } = this.#find(path);
    return { isFile: true, size: bytes.length, changedAt };
  }

  async remove(path: string): Promise<void> {
    this.#files.delete(path);
  }

  async removeTree(path: string): Promise<void> {
    for (const name of this.#files.keys()) if (name.startsWith(`${path}/`)) this.#files.delete(name);
  }

  async list(path: string): Promise<string[]> {
    const below = `${path}/`;
    const names = [...this.#files.keys()].filter((name) => name.startsWith(below));
    return [...new Set(names.map((name) => name.slice(below.length).split("/")[0] ?? ""))];
  }

  async freeBytes(): Promise<number> {
    return this.isFull ? 0 : FREE_BYTES;
  }

  /** Loses a file, and nobody notices. */
  lose(name: string): void {
    for (const path of this.#files.keys()) if (path.endsWith(name)) this.#files.delete(path);
  }

  #find(path: string): File {
    const file = this.#files.get(path);
    if (!file) throw Object.assign(new Error(`no file ${dirname(path)}`), { code: "ENOENT" });
    return file;
  }

  #requireRoom(): void {
    this.wasFull ||= this.isFull;
    if (this.isFull) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  }
}
