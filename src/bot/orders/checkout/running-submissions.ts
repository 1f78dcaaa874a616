/** Submissions without an outcome, which may be repeated for hours. */
export class RunningSubmissions {
  readonly #running = new Map<string, AbortController>();

  /** Notes a submission. The signal aborts when `stop` is called before `end`. */
  begin(orderId: string): { signal: AbortSignal; end: () => void } {
    const controller = new AbortController();
    this.#running.set(orderId, controller);
    const end = () => {
      if (this.#running.get(orderId) === controller) this.#running.delete(orderId);
    };
    return { signal: controller.signal, end };
  }

  /** Ends the repeats of an order that was settled otherwise. */
  stop(orderId: string): void {
    this.#running.get(orderId)?.abort();
  }
}
