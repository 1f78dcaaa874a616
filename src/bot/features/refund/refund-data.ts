import { callbackData, readNatural } from "../../telegram/callback-data.js";

/** `refund`: what was paid goes back; what balances lack becomes a debt. `credit`: a held payment goes to who paid. */
export type MoneyAction = "refund" | "credit";

/** What a question about a payment names, in kopecks. */
export interface NamedSums {
  /** What comes to or leaves balances. */
  kopecks: number;
  owedKopecks: number;
}

export type RefundData = { paymentId: number } & (
  | { action: "show" | "close" }
  | { action: "ask"; what: MoneyAction }
  | { action: "sure"; what: MoneyAction; named: NamedSums }
);

const ASK = { refund: "r", credit: "c" } as const;
const SURE = { refund: "R", credit: "C" } as const;
const WHAT: readonly MoneyAction[] = ["refund", "credit"];

/**
 * Encodes `rf:<payment>:<s or x>`, `rf:<payment>:<r or c>`, which asks, and `rf:<payment>:<R or C>:<kopecks>:<owed>`,
 * which does what was asked: with other sums than those it asks again.
 */
export const refundData = callbackData<RefundData>({
  prefix: "rf",
  encode(data) {
    const { paymentId } = data;
    if (data.action === "ask") return [paymentId, ASK[data.what]];
    if (data.action === "sure")
      return [paymentId, SURE[data.what], data.named.kopecks, data.named.owedKopecks];
    return [paymentId, data.action === "show" ? "s" : "x"];
  },
  decode([id, letter, ...rest]) {
    const paymentId = readNatural(id);
    if (paymentId === undefined) return undefined;
    const sure = WHAT.find((one) => SURE[one] === letter);
    if (sure) {
      const [kopecks, owedKopecks] = [readNatural(rest[0]), readNatural(rest[1])];
      if (kopecks === undefined || owedKopecks === undefined || rest.length > 2) return undefined;
      return { paymentId, action: "sure", what: sure, named: { kopecks, owedKopecks } };
    }
    if (rest.length > 0) return undefined;
    const ask = WHAT.find((one) => ASK[one] === letter);
    if (ask) return { paymentId, action: "ask", what: ask };
    if (letter === "s" || letter === "x") return { paymentId, action: letter === "s" ? "show" : "close" };
    return undefined;
  },
});

/** Encodes `pl:<user id>`: the newest payments of a person, for an admin. */
export const paymentListData = callbackData<{ userId: number }>({
  prefix: "pl",
  encode: ({ userId }) => [userId],
  decode([id, ...rest]) {
    const userId = readNatural(id);
    return userId === undefined || rest.length > 0 ? undefined : { userId };
  },
});
