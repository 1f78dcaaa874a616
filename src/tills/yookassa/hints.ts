import { notification } from "./answers.js";

/** Returns the payment that a notification is about, which is all that is read of it. */
export function hintedPayment(body: unknown): string | undefined {
  const given = notification.safeParse(body).data;
  return given && (given.object.payment_id ?? given.object.id);
}
