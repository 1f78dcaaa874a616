import { callbackData, readNatural } from "../../telegram/callback-data.js";

/** `owe`: what the balance lacks becomes a debt. `credit`: a held payment goes to who paid. */
export type RefundAction = "refund" | "owe" | "credit" | "close";

export interface RefundData {
  paymentId: number;
  action: RefundAction | "show";
}

const LETTERS: Readonly<Record<RefundData["action"], string>> = {
  show: "s",
  refund: "r",
  owe: "o",
  credit: "c",
  close: "x",
};

/** Encodes `rf:<payment>:<letter>`. */
export const refundData = callbackData<RefundData>({
  prefix: "rf",
  encode: ({ paymentId, action }) => [paymentId, LETTERS[action]],
  decode([id, letter, ...rest]) {
    const paymentId = readNatural(id);
    const action = (Object.keys(LETTERS) as RefundData["action"][]).find((one) => LETTERS[one] === letter);
    return paymentId === undefined || !action || rest.length > 0 ? undefined : { paymentId, action };
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
