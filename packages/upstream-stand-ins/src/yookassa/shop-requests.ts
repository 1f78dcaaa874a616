import { z } from "zod";

/** Sums as the API takes them. */
const amount = z.strictObject({
  value: z.string().regex(/^\d{1,10}\.\d{2}$/),
  currency: z.literal("RUB"),
});

/** Source: https://yookassa.ru/developers/54fz/parameters-values */
const receiptItem = z.strictObject({
  description: z.string().min(1).max(128),
  quantity: z.number().positive(),
  amount,
  vat_code: z.number().int().min(1).max(12),
  payment_subject: z.enum(["commodity", "service", "payment", "intellectual_activity"]),
  payment_mode: z.enum(["full_prepayment", "partial_prepayment", "advance", "full_payment"]),
});
const receipt = z.strictObject({
  customer: z
    .strictObject({
      email: z.email().optional(),
      phone: z
        .string()
        .regex(/^\d{11,15}$/)
        .optional(),
    })
    .refine(({ email, phone }) => email !== undefined || phone !== undefined),
  items: z.array(receiptItem).min(1).max(6),
  tax_system_code: z.number().int().min(1).max(6).optional(),
});

/** Source: https://yookassa.ru/en/developers/api, section "Create a payment". */
export const paymentSchema = z.strictObject({
  amount,
  capture: z.boolean().optional(),
  confirmation: z.strictObject({ type: z.literal("redirect"), return_url: z.url().max(2048) }),
  description: z.string().max(128).optional(),
  metadata: z
    .record(z.string().max(32), z.string().max(512))
    .refine((given) => Object.keys(given).length <= 16)
    .optional(),
  receipt: receipt.optional(),
});

/** Source: https://yookassa.ru/developers/payments/refunds */
export const refundSchema = z.strictObject({
  payment_id: z.string().min(1).max(64),
  amount,
  description: z.string().max(250).optional(),
});

export type PaymentWanted = z.infer<typeof paymentSchema>;
export type RefundWanted = z.infer<typeof refundSchema>;

export function kopecksOfText(value: string): number {
  return Math.round(Number(value) * 100);
}

export function textOfKopecks(kopecks: number): string {
  return (kopecks / 100).toFixed(2);
}
