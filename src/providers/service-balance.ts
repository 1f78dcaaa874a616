import { prepare, qb } from "../database/prepared.js";
import { type Integer, integer } from "../platform/integer.js";
import { Recurring } from "../platform/retry.js";
import { DAY_MS, MINUTE_MS } from "../platform/units.js";
import type { Service } from "./service.js";

/** Reads the index of submissions. */
export const selectSpent = prepare<
  { provider: string; since: Integer },
  { currency: string | null; amount: number }
>((p) =>
  qb
    .selectFrom("attempt")
    .select((eb) => ["cost_currency as currency", eb.fn.sum<number>("cost_amount").as("amount")])
    .where("provider", "=", p.provider)
    .where("submitted_at", ">=", p.since)
    .where("cost_amount", "is not", null)
    .groupBy("cost_currency"),
);

export const BALANCE_EVERY_MS = 10 * MINUTE_MS;

/** What is left on the account at a service, and what its tasks of the last 24 hours cost, in one currency. */
export interface Credit {
  currency: string;
  balance: number;
  spentDay: number;
}

/** Asks a service for the balance, and tells operators once a day while it is below a day's spending. */
export class ServiceBalance {
  readonly #looks: Recurring;
  /** Undefined until the service has told it, and after an answer without it. */
  current: Credit | undefined;

  constructor(private readonly service: Service) {
    const { clock, logger } = service;
    this.#looks = new Recurring({
      clock,
      everyMs: BALANCE_EVERY_MS,
      work: (signal) => this.#look(signal),
      onFailure: (error) => logger.warn({ err: error }, "balance of the service not judged"),
    });
  }

  start(): void {
    if (this.service.adapter.balance) this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { adapter, clock, options } = this.service;
    const currency = adapter.balance?.currency ?? "";
    const balance = await this.#ask(signal);
    if (signal.aborted) return;
    const since = integer(clock.now() - DAY_MS);
    const spent = options.database.all(selectSpent, { provider: adapter.name, since });
    const spentDay = spent.find((row) => row.currency === currency)?.amount ?? 0;
    this.current = balance === undefined ? undefined : { currency, balance, spentDay };
    if (balance === undefined) return;
    const topic = `credit:${adapter.name}`;
    if (balance >= spentDay) options.notices.end(topic);
    else
      options.notices.tell(
        { kind: "credit_low", provider: adapter.name, currency, balance, spent: spentDay },
        { topic, content: "low", againAfterMs: DAY_MS },
      );
  }

  async #ask(signal: AbortSignal): Promise<number | undefined> {
    const { adapter, calls, logger } = this.service;
    for (const { call, read } of adapter.balance?.questions ?? []) {
      try {
        const answer = await calls.ask(call, signal);
        const balance = answer.fault ? undefined : read(answer);
        if (balance !== undefined) return balance;
        logger.debug({ status: answer.status }, "no balance in the answer");
      } catch (error) {
        logger.debug({ err: error }, "balance not told");
      }
      if (signal.aborted) break;
    }
    return undefined;
  }
}
