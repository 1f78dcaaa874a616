/** Reads bytes of a file from an offset; fewer at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;

/** The most bytes that are read through; what is farther is asked for anew. */
const FORWARD_BYTES_MAX = 256 * 1024;
/** The bytes kept in memory before the place that is read. */
const BEHIND_BYTES = 64 * 1024;
/** The most bytes that are read: facts of a file need less. */
const READ_BYTES_MAX = 4 * 1024 * 1024;
const PARTS_MAX = 8;

export interface Stretch {
  chunks: Pick<AsyncIterator<Uint8Array, unknown>, "next">;
  close(): void;
}

/** Reads a few places of a remote file, of which at most one stretch is open and a small part in memory. */
export class RemoteBytes {
  readonly #openAt: (offset: number) => Promise<Stretch>;
  #stretch: Stretch;
  #window = Buffer.alloc(0);
  #begin = 0;
  #bytes = 0;
  #parts = 1;
  #isClosed = false;
  readonly #closed = Promise.withResolvers<never>();

  /** `first` begins at 0. `openAt` rejects where the host gives no part of the file. */
  constructor(first: Stretch, openAt: (offset: number) => Promise<Stretch>) {
    this.#stretch = first;
    this.#openAt = openAt;
    this.#closed.promise.catch(() => {});
  }

  /** Reads bytes. Fails when a part cannot be read, when too much was, and once it is closed. */
  readonly readAt: ReadAt = (offset, length) =>
    Promise.race([this.#closed.promise, this.#readAt(offset, length)]);

  /** Ends a read that waits. Nothing is asked of the file after this. */
  close(): void {
    this.#isClosed = true;
    this.#closed.reject(new Error("closed"));
    this.#stretch.close();
  }

  async #readAt(offset: number, length: number): Promise<Buffer> {
    const isNear = offset >= this.#begin && offset <= this.#end + FORWARD_BYTES_MAX;
    if (!isNear) await this.#jump(offset);
    while (!this.#isClosed && this.#end < offset + length) {
      const { done, value } = await this.#stretch.chunks.next();
      if (done) break;
      this.#append(value, offset);
    }
    const at = Math.max(0, offset - this.#begin);
    return this.#window.subarray(at, at + length);
  }

  get #end(): number {
    return this.#begin + this.#window.length;
  }

  #append(chunk: Uint8Array, offset: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > READ_BYTES_MAX) throw new Error("the facts of a file are too far apart");
    const passed = Math.min(Math.max(0, offset - BEHIND_BYTES - this.#begin), this.#window.length);
    this.#window = Buffer.concat([this.#window.subarray(passed), chunk]);
    this.#begin += passed;
  }

  async #jump(offset: number): Promise<void> {
    this.#parts += 1;
    if (this.#parts > PARTS_MAX) throw new Error("the facts of a file are in too many places");
    this.#stretch.close();
    this.#stretch = await this.#openAt(offset);
    if (this.#isClosed) this.#stretch.close();
    this.#window = Buffer.alloc(0);
    this.#begin = offset;
  }
}
