import { z } from "zod";
import { asKopecks, type Kopecks, parseRubles } from "../../contract/money.js";

const id = z.string().min(1).max(64);

/** Reads `{"value":"270.00","currency":"RUB"}`. */
const amount = z
  .object({ value: z.string().regex(/^\d{1,10}\.\d{2}$/), currency: z.string().max(8) })
  .transform(({ value, currency }) => ({ kopecks: parseRubles(value) ?? asKopecks(0), currency }));

/**
 * Reads the fields that are needed of a payment.
 * Source: https://yookassa.ru/en/developers/api, section "Payment object".
 */
export const paymentAnswer = z.object({
  id,
  status: z.enum(["pending", "waiting_for_capture", "succeeded", "canceled"]),
  paid: z.boolean(),
  amount,
  refunded_amount: amount.optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  confirmation: z.object({ confirmation_url: z.url({ protocol: /^https?$/ }).optional() }).optional(),
  created_at: z.iso.datetime({ offset: true }).optional(),
  captured_at: z.iso.datetime({ offset: true }).optional(),
  cancellation_details: z.object({ party: z.string(), reason: z.string() }).optional(),
});
export type PaymentAnswer = z.infer<typeof paymentAnswer>;

/** Reads a refund. Source: https://yookassa.ru/developers/payments/refunds */
export const refundAnswer = z.object({
  id,
  payment_id: id,
  status: z.enum(["pending", "succeeded", "canceled"]),
  amount,
  cancellation_details: z.object({ party: z.string(), reason: z.string() }).optional(),
});
export type YookassaRefund = z.infer<typeof refundAnswer>;

/** Reads a page of payments. A shop may have some that are not of this service, so each is read on its own. */
export const paymentList = z.object({
  items: z.array(z.unknown()).max(1000),
  next_cursor: z.string().min(1).max(512).nullish().catch(undefined),
});
export type PaymentPage = z.infer<typeof paymentList>;

/** Reads which payment a refund of a list is of: the payment tells the rest. */
export const listedRefund = z.object({ payment_id: id });
export type ListedRefund = z.infer<typeof listedRefund>;

/** Names an element of a list that could not be read. */
export function idOf(given: unknown): string {
  return z.object({ id: z.string() }).safeParse(given).data?.id.slice(0, 40) ?? "–";
}

/** Reads a page of a list. Source: https://yookassa.ru/en/developers/api, section "Lists". */
export const refundList = z.object({
  items: z.array(z.unknown()).max(1000),
  next_cursor: z.string().min(1).max(512).nullish().catch(undefined),
});
export type RefundPage = z.infer<typeof refundList>;

/** Reads why a call is refused. Source: https://yookassa.ru/developers/using-api/response-handling/response-format */
export const errorAnswer = z.object({
  code: z.string().max(64),
  description: z.string().max(2000).optional(),
  parameter: z.string().max(200).optional(),
});

/**
 * Reads the object that a notification is about; everything else in it is left alone.
 * Source: https://yookassa.ru/developers/using-api/webhooks
 */
export const notification = z.object({
  type: z.literal("notification"),
  event: z.string().max(64),
  object: z.object({ id, payment_id: id.optional() }),
});

/** Writes a sum as the API takes it. */
export function amountOf(kopecks: Kopecks): { value: string; currency: string } {
  return { value: (kopecks / 100).toFixed(2), currency: "RUB" };
}
