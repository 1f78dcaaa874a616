import type { Context, MiddlewareFn } from "grammy";
import type { PaymentIntake } from "../payments/payment-intake.js";
import { isPaymentMessage, readPaymentMessage } from "../payments/star-reports.js";

/**
 * Takes payments and refunds before every other middleware: money has moved, whoever sent it and wherever. They wait
 * for no earlier update of the chat. `stopping` aborts when the service begins to stop.
 */
export function takePayments(intake: PaymentIntake, stopping: AbortSignal): MiddlewareFn<Context> {
  return async ({ message }, next) => {
    if (!isPaymentMessage(message)) return next();
    await intake.take(readPaymentMessage(message), stopping);
  };
}
