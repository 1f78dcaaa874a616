import { Readable } from "node:stream";

type Read = IteratorResult<Uint8Array, unknown>;

/** A stream whose beginning is read before the whole of it is handed on. */
export class PeekedStream {
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Uint8Array, unknown>;
  readonly #kept: Uint8Array[] = [];
  #last: Promise<Read | undefined> = Promise.resolve(undefined);

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  }

  next(): Promise<Read> {
    const read = this.#last.then(async () => {
      const chunk = await this.#chunks.next();
      if (!chunk.done) this.#kept.push(chunk.value);
      return chunk;
    });
    this.#last = read;
    // `whole` fails with it.
    read.catch(() => {});
    return read;
  }

  /** Returns everything from the first byte on. Nothing is peeked at after this. */
  whole(): Readable {
    const whole = Readable.from(this.#all(), { objectMode: false });
    whole.once("close", () => this.destroy());
    return whole;
  }

  destroy(): void {
    this.#stream.destroy();
  }

  async *#all(): AsyncGenerator<Uint8Array> {
    // A peek that was given up may still be waiting for its bytes.
    await this.#last;
    yield* this.#kept.splice(0);
    for (;;) {
      const chunk = await this.#chunks.next();
      if (chunk.done) return;
      yield chunk.value;
    }
  }
}
