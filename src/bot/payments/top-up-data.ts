import { asKopecks } from "../../contract/money.js";
import type { TopUp } from "../../ports/till.js";
import { callbackData, readNatural } from "../telegram/callback-data.js";

/** Parameter of the link that opens the top-up in the private chat. */
export const START_TOP_UP = "topup";

/** `agree`: buy, with the consent to the terms that the message shows. */
export type TopUpData =
  | { action: "menu" }
  | { action: "own" }
  | { action: "buy" | "agree"; till: string; topUp: TopUp };

const LETTERS = { buy: "b", agree: "a" } as const;

/**
 * Encodes `t:m`, `t:o` and `t:<b or a>:<till>:<price>:<kopecks>`. The sums are what the person saw: a button of other
 * prices sells nothing.
 */
export const topUpData = callbackData<TopUpData>({
  prefix: "t",
  encode(data) {
    if (data.action === "menu") return ["m"];
    if (data.action === "own") return ["o"];
    return [LETTERS[data.action], data.till, data.topUp.price, data.topUp.kopecks];
  },
  decode([letter, till, priceText, kopecksText, ...rest]) {
    if (letter === "m" && till === undefined) return { action: "menu" };
    if (letter === "o" && till === undefined) return { action: "own" };
    const [price, sum] = [readNatural(priceText), readNatural(kopecksText)];
    const action = letter === LETTERS.buy ? "buy" : letter === LETTERS.agree ? "agree" : undefined;
    if (!action || till === undefined || !/^\w{1,20}$/.test(till) || rest.length > 0) return undefined;
    if (price === undefined || sum === undefined) return undefined;
    return { action, till, topUp: { price, kopecks: asKopecks(sum) } };
  },
});
