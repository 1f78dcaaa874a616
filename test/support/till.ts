import type { PaymentBook } from "../../src/tills/payment-book.js";
import type { RefundAnswer, Till, TillInvoice } from "../../src/tills/till.js";

/** Answers refunds as a test says. */
export class FakeTill implements Pick<Till, "name" | "refund"> {
  readonly name = "stars";
  /** Answers of the next refunds; by default they are done. */
  readonly answers: RefundAnswer[] = [];

  async refund(): Promise<RefundAnswer> {
    return this.answers.shift() ?? { kind: "done" };
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
