import { leftOf, NO_KOPECKS } from "../../contract/money.js";
import { ageMs, type Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import { HOUR_MS } from "../../platform/units.js";
import type { RefundAnswer, TillPayment } from "../../ports/till.js";
import type { YookassaRefund } from "./answers.js";
import { SHOP_CURRENCY } from "./judge-payment.js";
import type { RefundRow, RefundRows } from "./refund-rows.js";
import type { ApiAnswer, YookassaApi } from "./yookassa-api.js";

/** The service forgets a key after 24 hours: repeated later, it would make another refund. */
export const KEY_LIVES_MS = 23 * HOUR_MS;

interface RefundsParts {
  api: Pick<YookassaApi, "createRefund" | "refund" | "payment">;
  rows: RefundRows;
  clock: Clock;
  ids: Pick<Ids, "secret">;
}

/** Asks for refunds, each with one key over all tries, and for their end. */
export class Refunds {
  readonly #parts: RefundsParts;

  constructor(parts: RefundsParts) {
    this.#parts = parts;
  }

  /** Pays back what is left of a payment, or tells how far that is. Never rejects. */
  async refund(payment: TillPayment, signal: AbortSignal): Promise<RefundAnswer> {
    try {
      const row = this.#parts.rows.open(payment.chargeId) ?? (await this.#begin(payment, signal));
      if ("kind" in row) return row;
      return await this.#judge(row, await this.#ask(row, payment.currency ?? SHOP_CURRENCY, signal), signal);
    } catch (cause) {
      return { kind: "doubtful", cause };
    }
  }

  /** Writes the row of a refund of what the shop has left: a part may have been paid back in its cabinet just now. */
  async #begin({ chargeId }: TillPayment, signal: AbortSignal): Promise<RefundRow | RefundAnswer> {
    const { api, rows, clock, ids } = this.#parts;
    const answer = await api.payment(chargeId, signal);
    if (answer.kind !== "ok")
      return isUnknown(answer)
        ? { kind: "refused", reason: "too_old" }
        : { kind: "doubtful", cause: new Error("the payment is not seen") };
    const left = leftOf(answer.value.amount.kopecks, answer.value.refunded_amount?.kopecks ?? NO_KOPECKS);
    if (left === NO_KOPECKS) return { kind: "done" };
    const key = { idempotence_key: ids.secret(), made_at: clock.now() };
    return rows.begin({ payment_id: chargeId, kopecks: left, ...key });
  }

  /** Undefined where the key has died: only the sum that was paid back tells then. */
  async #ask(
    row: RefundRow,
    currency: string,
    signal: AbortSignal,
  ): Promise<ApiAnswer<YookassaRefund> | undefined> {
    const { api, clock } = this.#parts;
    const { refund_id: id, payment_id: paymentId, kopecks, idempotence_key: key } = row;
    if (id !== null) return api.refund(id, signal);
    if (ageMs(row.made_at, clock.now()) > KEY_LIVES_MS) return undefined;
    return api.createRefund(key, { paymentId, kopecks, currency }, signal);
  }

  async #judge(
    row: RefundRow,
    answer: ApiAnswer<YookassaRefund> | undefined,
    signal: AbortSignal,
  ): Promise<RefundAnswer> {
    const { rows } = this.#parts;
    // The operator corrects the key, and the refund goes on.
    if (answer?.kind === "refused" && answer.status === 401)
      return { kind: "doubtful", cause: new Error("the payment service does not know the key") };
    if (answer === undefined || answer.kind === "refused") return this.#byAmount(row, signal, answer);
    if (answer.kind === "throttled") return { kind: "doubtful", cause: new Error("too many requests") };
    if (answer.kind === "doubtful") return answer;
    const { id, status, cancellation_details: details } = answer.value;
    if (row.refund_id === null) await rows.name(row.id, id);
    if (status === "pending") return { kind: "doubtful", cause: new Error("the refund is pending") };
    await rows.end(row.id, status === "succeeded" ? "done" : "refused");
    if (status === "succeeded") return { kind: "done" };
    const reason = details?.reason === "insufficient_funds" ? "no_funds" : "not_possible";
    return { kind: "refused", reason };
  }

  /** Judges a refund by what the payment says was paid back, such as by somebody in the shop's cabinet. */
  async #byAmount(
    row: RefundRow,
    signal: AbortSignal,
    refused: Extract<ApiAnswer<unknown>, { kind: "refused" }> | undefined,
  ): Promise<RefundAnswer> {
    const answer = await this.#parts.api.payment(row.payment_id, signal);
    if (answer.kind !== "ok") {
      if (!isUnknown(answer)) return { kind: "doubtful", cause: new Error("the payment is not seen") };
      await this.#parts.rows.end(row.id, "refused");
      return { kind: "refused", reason: "too_old" };
    }
    const back = answer.value.refunded_amount?.kopecks ?? NO_KOPECKS;
    const isDone = back >= answer.value.amount.kopecks;
    await this.#parts.rows.end(row.id, isDone ? "done" : "refused");
    if (isDone) return { kind: "done" };
    return { kind: "refused", reason: refused?.code === "insufficient_funds" ? "no_funds" : "not_possible" };
  }
}

function isUnknown(answer: ApiAnswer<unknown>): boolean {
  return answer.kind === "refused" && answer.status === 404;
}
