import type { RefundAnswer, Till, TillPayment } from "../../src/tills/till.js";

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
