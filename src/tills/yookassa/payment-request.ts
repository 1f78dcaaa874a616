import type { Kopecks } from "../../contract/money.js";
import type { ReceiptContact } from "../../ports/till.js";
import { amountOf } from "./answers.js";

export type PaymentMode = "full_payment" | "full_prepayment" | "advance";

/** What a shop's receipts (54-FZ) say. */
export interface ReceiptSettings {
  vatCode: number;
  taxSystem: number | undefined;
  paymentMode: PaymentMode;
}

export interface RequestedPayment {
  invoiceRef: string;
  kopecks: Kopecks;
  description: string;
  returnUrl: string;
  receipt: ReceiptSettings | undefined;
  contact: ReceiptContact | undefined;
}

const DESCRIPTION_MAX = 128;
/** The key under which a payment carries the name of its invoice. */
export const INVOICE_KEY = "invoice";

/**
 * Writes the body of a payment that is captured at once, on the page of the service.
 * Sources: https://yookassa.ru/en/developers/api, section "Create a payment", and
 * https://yookassa.ru/developers/54fz/parameters-values for receipts.
 */
export function paymentRequest({ invoiceRef, kopecks, ...payment }: RequestedPayment) {
  const description = cut(payment.description);
  const { receipt, contact } = payment;
  return {
    amount: amountOf(kopecks),
    capture: true,
    confirmation: { type: "redirect", return_url: payment.returnUrl },
    description,
    metadata: { [INVOICE_KEY]: invoiceRef },
    ...(receipt && contact && { receipt: receiptOf(receipt, contact, kopecks, description) }),
  };
}

function receiptOf(
  { vatCode, taxSystem, paymentMode }: ReceiptSettings,
  contact: ReceiptContact,
  kopecks: Kopecks,
  description: string,
) {
  const item = {
    description,
    quantity: 1,
    amount: amountOf(kopecks),
    vat_code: vatCode,
    payment_subject: "service",
    payment_mode: paymentMode,
  };
  return {
    customer: contact,
    items: [item],
    ...(taxSystem !== undefined && { tax_system_code: taxSystem }),
  };
}

function cut(text: string): string {
  return [...text].slice(0, DESCRIPTION_MAX).join("");
}
