import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { Payments, WatchingTill } from "../../ports/till.js";
import type { PaymentIntake } from "./payment-intake.js";
import type { PaymentTeller } from "./payment-teller.js";

const EVERY_MS = MINUTE_MS;
const TELL_AT_ONCE = 50;

interface TillDeskParts {
  /** Tills that look for their payments by themselves. */
  tills: readonly WatchingTill[];
  payments: Pick<Payments, "settleRefunds" | "untold">;
  intake: Pick<PaymentIntake, "takeOnce" | "takeRefundEnds">;
  teller: PaymentTeller;
  /** The address that people are sent to after they have paid elsewhere. */
  returnUrl: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Runs the tills beside Stars: takes what they report, and every minute ends refunds in doubt and tells people who could
 * not be told.
 */
export class TillDesk {
  readonly #parts: TillDeskParts;
  #cancel: CancelTimer = () => {};
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: TillDeskParts) {
    this.#parts = parts;
  }

  start(): void {
    const { tills, intake, returnUrl, clock } = this.#parts;
    for (const till of tills) till.start({ take: (report) => intake.takeOnce(report), returnUrl });
    if (tills.length > 0) this.#cancel = repeat(clock, EVERY_MS, () => void this.run());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await Promise.all([this.#running, ...this.#parts.tills.map((till) => till.stop())]);
  }

  /** Runs once; a call during a run joins it. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (!this.#isStopped)
          this.#parts.logger.warn({ err: error }, "tills not settled, tried again in a minute");
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #run(): Promise<void> {
    const { tills, payments, teller, intake } = this.#parts;
    for (const till of tills) {
      await intake.takeRefundEnds(await payments.settleRefunds(till));
      for (const payment of payments.untold(till.name, TELL_AT_ONCE)) await teller.tellCredit(payment);
    }
  }
}
