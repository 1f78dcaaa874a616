export type RequestOutcome = "answered" | "refused" | "throttled" | "failed";

interface Counted {
  method: "GET" | "POST";
  outcome: RequestOutcome;
  requests: number;
  durationMs: number;
}

/** Counts requests to the service since the process began. */
export class RequestStats {
  readonly #counted = new Map<string, Counted>();

  count(method: Counted["method"], outcome: RequestOutcome, durationMs: number): void {
    const name = `${method} ${outcome}`;
    const counted = this.#counted.get(name) ?? { method, outcome, requests: 0, durationMs: 0 };
    counted.requests += 1;
    counted.durationMs += durationMs;
    this.#counted.set(name, counted);
  }

  all(): readonly Counted[] {
    return [...this.#counted.values()];
  }
}

export function requestOutcome(status: number | undefined): RequestOutcome {
  if (status === 429) return "throttled";
  if (status === undefined || status >= 500) return "failed";
  return status >= 200 && status < 300 ? "answered" : "refused";
}
