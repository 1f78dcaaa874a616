import { type Clock, sleep } from "../../src/platform/clock.js";
import { ExchangeError, type ExchangeOptions, type HttpAnswer } from "../../src/platform/http-exchange.js";
import type { Random } from "./random.js";

/** When the manual clock begins. */
const EPOCH = Date.UTC(2026, 0, 1);

/** A service elsewhere, which takes its time to answer. Its clock is right whatever becomes of ours. */
export class Elsewhere {
  constructor(
    protected readonly clock: Clock,
    protected readonly random: Random,
  ) {}

  protected now(): number {
    return EPOCH + this.clock.monotonic();
  }

  /** A call is under way. */
  protected async onItsWay(signal: AbortSignal | undefined): Promise<void> {
    await sleep(this.clock, this.random.integer(1, 400), signal);
    if (signal?.aborted) throw new ExchangeError(true, signal.reason);
  }

  /** A call that was heard ends without an answer. */
  protected async unanswered({ signal, timeoutMs = 60_000 }: ExchangeOptions): Promise<never> {
    await sleep(this.clock, timeoutMs, signal);
    throw new ExchangeError(true, new Error("no answer"));
  }

  protected unconnected(): never {
    throw new ExchangeError(false, new Error("no connection"));
  }

  protected answered(status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer {
    const date = new Date(this.now()).toUTCString();
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return { status, headers: new Map(Object.entries({ date, ...headers })), text, fault: undefined };
  }
}
