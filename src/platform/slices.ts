const SLICE_MS = 5;

/** Shares the event loop among long computations: each round of the loop runs one slice of one of them. */
export class Slices {
  #last: Promise<void> = Promise.resolve();

  /** Begins a computation, which awaits the returned function before its first step and often after that. */
  begin(): () => Promise<void> {
    let end = Number.NEGATIVE_INFINITY;
    return async () => {
      if (performance.now() < end) return;
      this.#last = this.#last.then(() => new Promise<void>((resolve) => void setImmediate(resolve)));
      await this.#last;
      end = performance.now() + SLICE_MS;
    };
  }
}
