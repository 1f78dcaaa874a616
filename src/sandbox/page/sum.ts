const UNITS: Readonly<Record<string, (amount: string) => string>> = {
  USD: (amount) => `$${amount}`,
  RUB: (amount) => `${amount}\u00a0₽`,
  kie_credit: (amount) => `${amount}\u00a0credits`,
};

/** An amount as a service counts it. */
export function sum({ amount, currency }: { amount: number; currency: string }): string {
  const digits = Number.isInteger(amount) && currency !== "USD" ? 0 : 2;
  const text = amount.toFixed(digits);
  return UNITS[currency]?.(text) ?? `${text}\u00a0${currency}`;
}
