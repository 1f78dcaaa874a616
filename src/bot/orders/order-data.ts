import { callbackData } from "../telegram/callback-data.js";

export interface OrderData {
  orderId: string;
  action: "original" | "again" | "deliver";
}

const LETTERS = { original: "o", again: "a", deliver: "d" } as const;
const ACTIONS: Readonly<Record<string, OrderData["action"]>> = { o: "original", a: "again", d: "deliver" };

/** The buttons of an order: `r:<order>:<action>`. */
export const orderData = callbackData<OrderData>({
  prefix: "r",
  encode: ({ orderId, action }) => [orderId, LETTERS[action]],
  decode([orderId = "", letter = "", ...rest]) {
    const action = ACTIONS[letter];
    if (!action || rest.length > 0 || !/^[A-Za-z0-9_-]{1,40}$/.test(orderId)) return undefined;
    return { orderId, action };
  },
});
