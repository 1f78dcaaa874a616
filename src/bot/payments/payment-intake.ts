import { retry } from "../../platform/retry.js";
import { HOUR_MS } from "../../platform/units.js";
import type { ReportedPayment, Till, TillPayment, TillReport } from "../../tills/till.js";
import type { ManagedGround } from "../bot-ground.js";
import type { PaymentTeller } from "./payment-teller.js";

/** Time after which admins are told of a refund whose till does not say that it has ended. */
export const REFUND_WAITS_MS = HOUR_MS;
const BACK_OFF = { firstMs: 200, maxMs: 15_000 };

/** Tells a person what became of a payment. Never rejects. */
type Telling = () => Promise<void>;
const tellNothing: Telling = async () => {};

/** Takes what tills report of payments: updates, transactions of Telegram, answers of other tills. */
export class PaymentIntake {
  /** The monotonic time from which a refund is known to wait for its end, by payment. */
  readonly #waitingSince = new Map<number, number>();

  constructor(
    private readonly bot: ManagedGround,
    private readonly teller: PaymentTeller,
  ) {}

  /** Takes a report until it is written. Rejects only after `signal` has aborted: then the update runs again. */
  async take(report: TillReport, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.bot;
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ kind: report.kind, attempt, err: error }, "payment not written, trying again");
    await retry({ clock, backOff: BACK_OFF, signal, onFailure }, () => this.takeOnce(report));
  }

  /** Takes a report. Rejects where it cannot be written. */
  async takeOnce(report: TillReport): Promise<void> {
    const tell = await this.write(report);
    await tell();
  }

  /** Writes a report, and rejects where that cannot be done. Resolves to what tells its person. */
  write({ kind, report }: TillReport): Promise<Telling> {
    return kind === "payment" ? this.#writePayment(report) : this.#writeRefund(report);
  }

  /** Asks the till about refunds in doubt, and tells admins of one that does not end. */
  async settleRefunds(till: Pick<Till, "name" | "refund">): Promise<void> {
    const { accounts, notices, clock } = this.bot;
    for (const outcome of await accounts.payments.settleRefunds(till)) {
      if (outcome.kind === "unknown" || outcome.kind === "too_large") continue;
      const { id: number, till, price, payer } = outcome.payment;
      const topic = `refund:${number}`;
      if (outcome.kind !== "pending") {
        this.#waitingSince.delete(number);
        notices.end(topic);
        continue;
      }
      const since = this.#waitingSince.get(number) ?? clock.monotonic();
      this.#waitingSince.set(number, since);
      if (clock.monotonic() - since < REFUND_WAITS_MS) continue;
      const notice = { kind: "refund_waits", number, till, price, user: payer ?? "–" } as const;
      notices.tell(notice, { topic, content: "waits" });
    }
  }

  async #writePayment(report: ReportedPayment): Promise<Telling> {
    const { notices, accounts } = this.bot;
    const taken = await accounts.payments.take(report, ({ kind, payment }, tx) => {
      if (kind === "unmatched") notices.tell({ kind: "payment_held", ...noticeOf(payment) }, undefined, tx);
    });
    const { payment } = taken;
    if (taken.kind === "credited") return () => this.teller.tellCredit(payment, taken.debtPaidKopecks);
    return taken.kind === "unmatched" ? () => this.teller.tellHeld(payment) : tellNothing;
  }

  async #writeRefund(report: ReportedPayment): Promise<Telling> {
    const { notices, accounts } = this.bot;
    const taken = await accounts.payments.takeRefund(report, (taken, tx) => {
      // One that an admin began is no news to operators.
      if (taken.kind === "repeated" || taken.kind === "settled") return;
      const told = { ...noticeOf(taken.payment), owed: taken.owedKopecks / 100 };
      const refunded = taken.payment.returned / 100;
      if (taken.kind === "refunded") notices.tell({ kind: "payment_refunded", ...told }, undefined, tx);
      else notices.tell({ kind: "payment_partly_refunded", ...told, refunded }, undefined, tx);
    });
    return taken.kind === "repeated" ? tellNothing : () => this.teller.tellReturn(taken.payment);
  }
}

function noticeOf({ id, till, price, currency, payer }: TillPayment) {
  return { number: id, till, price, currency, user: payer ?? "–" };
}
