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

  /** Tells operators of payments that are held, of each once: the process may have died before it did. */
  noteHeld(): void {
    for (const payment of this.bot.accounts.payments.held()) this.#noteHeld(payment);
  }

  #noteHeld(payment: TillPayment): void {
    const once = { topic: `held:${payment.id}`, content: "held" };
    this.bot.notices.tell({ kind: "payment_held", ...noticeOf(payment) }, once);
  }

  async #writePayment(report: ReportedPayment): Promise<Telling> {
    const taken = await this.bot.accounts.payments.take(report);
    const { payment } = taken;
    if (taken.kind === "credited") return () => this.teller.tellCredit(payment, taken.debtPaidKopecks);
    if (taken.kind !== "unmatched") return tellNothing;
    this.#noteHeld(payment);
    return () => this.teller.tellHeld(payment);
  }

  async #writeRefund(report: ReportedPayment): Promise<Telling> {
    const { notices, accounts } = this.bot;
    const taken = await accounts.payments.takeRefund(report);
    if (taken.kind === "repeated") return tellNothing;
    const { payment, owedKopecks } = taken;
    // One that an admin began is no news to operators.
    const tell = () => this.teller.tellReturn(payment);
    if (taken.kind === "settled") return tell;
    const owed = owedKopecks / 100;
    if (taken.kind === "part") {
      const refunded = payment.returned / 100;
      notices.tell({ kind: "payment_partly_refunded", ...noticeOf(payment), refunded, owed });
      return tell;
    }
    notices.tell({ kind: "payment_refunded", ...noticeOf(payment), owed });
    return tell;
  }
}

function noticeOf({ id, till, price, currency, payer }: TillPayment) {
  return { number: id, till, price, currency, user: payer ?? "–" };
}
