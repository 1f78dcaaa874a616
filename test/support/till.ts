import type { PaymentBook } from "../../src/tills/payment-book.js";
import type { RefundAnswer, Till, TillInvoice, TillPayment } from "../../src/tills/till.js";

/** Answers refunds as a test says, and remembers what was paid back. */
export class FakeTill implements Pick<Till, "name" | "refund"> {
  readonly name = "stars";
  readonly refunded = new Set<string>();
  /** Answers of the next refunds; by default they are done. */
  readonly answers: (RefundAnswer | "done_unseen")[] = [];

  async refund({ charge_id: chargeId }: TillPayment): Promise<RefundAnswer> {
    const answer = this.answers.shift() ?? { kind: "done" };
    if (answer === "done_unseen" || answer.kind === "done") this.refunded.add(chargeId);
    if (answer === "done_unseen") return { kind: "doubtful", cause: new Error("timeout") };
    return this.refunded.has(chargeId) && answer.kind === "refused" ? { kind: "done" } : answer;
  }
}

/** Opens an invoice and tells that it was paid. */
export async function paidInvoice(
  payments: PaymentBook,
  { userId, price, kopecks }: Pick<TillInvoice, "userId" | "price" | "kopecks">,
  chargeId = "c1",
) {
  const { ref } = await payments.openInvoice({ till: "stars", userId, price, kopecks });
  const report = { till: "stars", chargeId, invoiceRef: ref, userId, price, paidAt: 5 };
  return { report, outcome: await payments.take(report) };
}
