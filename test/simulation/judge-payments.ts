import type { Rows } from "./rows.js";
import type { SimStars } from "./sim-stars.js";

/** Each charge of Telegram is money once: credited by its invoice's row, or refunded and debited once. */
export function judgePayments({ payments, tillSums }: Rows, { charges }: SimStars): string[] {
  const byCharge = new Map(payments.map((payment) => [payment.charge_id, payment]));
  const wrongCharges = charges.flatMap(({ id, isRefunded, invoice }) => {
    const row = byCharge.get(id);
    if (!row) return [`charge ${id} of ${invoice.amount} Stars has no payment`];
    const wanted = isRefunded ? "refunded" : "credited";
    return row.state === wanted ? [] : [`payment of ${id} is ${row.state}, at Telegram ${wanted}`];
  });
  const wrongSums = tillSums.flatMap(({ account_id, entries, credited, debt }) =>
    entries === credited + debt
      ? []
      : [`account ${account_id} has ${entries} of tills, but ${credited} credited and ${debt} of debt`],
  );
  const own = payments.filter(({ till }) => till === "stars");
  const invented = own.length > charges.length ? ["a payment that nobody made"] : [];
  return [...wrongCharges, ...wrongSums, ...invented];
}
