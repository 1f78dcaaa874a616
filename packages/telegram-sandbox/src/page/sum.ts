import { counted, pageWords } from "./words/words.js";

/** An amount as a service counts it. */
export function sum({ amount, currency }: { amount: number; currency: string }): string {
  const digits = Number.isInteger(amount) && currency !== "USD" ? 0 : 2;
  const text = amount.toFixed(digits);
  if (currency === "USD") return `$${text}`;
  if (currency === "RUB") return `${text}\u00a0₽`;
  if (currency !== "kie_credit") return `${text}\u00a0${currency}`;
  return counted(Number(text), pageWords.services.credits, pageWords).replaceAll(" ", "\u00a0");
}
